import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readBlocks } from './page-blocks';

/** Shell blocks of a page, in their order; a block that names no language holds commands, too. */
export function readCommands(page: string): readonly string[] {
  return readBlocks(page, '', 'sh', 'bash');
}

export interface Addresses {
  readonly openSearch: string;
  readonly api: string;
  readonly redis: string;
}

export interface ProcessOptions {
  readonly addresses: Addresses;
  /** A line of the block that is not run. */
  readonly leftOut?: string;
  /** Variables that the page leaves to their defaults, or has set further up. */
  readonly env: Readonly<Record<string, string>>;
  /** How the page ends them: Ctrl-C in a terminal reaches all that the shell has started, and so does this. */
  readonly endedWith?: 'SIGINT' | 'SIGTERM';
}

/** What a block has started, while it runs. */
export interface Running {
  /** Aborted when all of it has ended. */
  readonly signal: AbortSignal;
  /** What it has printed so far. */
  readonly printed: () => string;
}

const run = promisify(execFile);
const root = join(__dirname, '../..');
const timeoutMs = 120_000;

const ran = new Set<string>();

/** Whether {@link runBlocks} has run this block to its end, in this process. */
export const hasRun = (block: string): boolean => ran.has(block);

/**
 * curl that ends with 22 when the answer is no success, and repeats what falls into a write block once, as the pages
 * ask their readers to.
 */
const curl = `curl() {
  for _ in $(seq 300); do
    answer=$(command curl -sS -w '\\n%{http_code}' "$@")
    [ "\${answer##*$'\\n'}" = 403 ] || break
    sleep 0.2
  done
  printf '%s\\n' "\${answer%$'\\n'*}"
  [ "\${answer##*$'\\n'}" -lt 400 ] || return 22
}`;

/**
 * Runs blocks of a page, one after the other in one shell, at these addresses instead of those on the page.
 * @param cwd where; default: the project's root
 * @returns what the commands have printed
 * @throws Error when a command ends badly or an answer is an error
 */
export async function runBlocks(
  blocks: readonly string[],
  addresses: Addresses,
  cwd = root,
): Promise<string> {
  const script = atAddresses(blocks.join('\n'), addresses);
  const env = { ...process.env, AOSC_API_URL: addresses.api };
  const { stdout } = await run(
    'bash',
    ['-euo', 'pipefail', '-c', `shopt -s expand_aliases\n${curl}\n${script}`],
    {
      cwd,
      env,
      timeout: timeoutMs,
    },
  );
  for (const block of blocks) ran.add(block);
  return stdout;
}

/**
 * Runs a block that starts processes, does `work` while they run, and ends them as an operator does.
 * @returns what the processes have printed until the last of them was gone
 * @throws Error when the processes end before `work`
 */
export async function runProcesses(
  block: string,
  { addresses, leftOut = '', env, endedWith = 'SIGTERM' }: ProcessOptions,
  work: (running: Running) => Promise<void>,
): Promise<string> {
  const script = `${atAddresses(block.replace(leftOut, ''), addresses)}\nwait`;
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const gone = new AbortController();
  // comes when every process that the block has started is gone
  const closed = once(shell, 'close').then(() => gone.abort(new Error(`the processes have ended:\n${text}`)));
  try {
    await work({ signal: gone.signal, printed: () => text });
  } finally {
    if (!gone.signal.aborted && shell.pid !== undefined) process.kill(-shell.pid, endedWith);
    await closed;
  }
  ran.add(block);
  return text;
}

function atAddresses(script: string, { openSearch, api, redis }: Addresses): string {
  return script
    .replaceAll('redis://127.0.0.1:6379', redis)
    .replaceAll('https://search.example:443', openSearch)
    .replaceAll(/(?:http:\/\/)?127\.0\.0\.1:9200/g, openSearch)
    .replaceAll(/(?:http:\/\/)?(?:127\.0\.0\.1|localhost):9650/g, api);
}
