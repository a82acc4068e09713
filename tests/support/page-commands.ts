import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readBlocks } from './page-blocks';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const timeoutMs = 120_000;

/** Shell blocks of a page, in their order; a block that names no language holds commands, too. */
export function readCommands(page: string): readonly string[] {
  return readBlocks(page, '', 'sh', 'bash');
}

export interface Addresses {
  readonly openSearch: string;
  readonly api: string;
}

/**
 * curl that ends with 22 when the answer is no success, and sends once more what falls into a write block, as the pages
 * tell their readers to.
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
 * @returns what the commands have printed
 * @throws Error when a command ends badly or an answer is an error
 */
export async function runBlocks(blocks: readonly string[], { openSearch, api }: Addresses): Promise<string> {
  const script = blocks
    .join('\n')
    .replaceAll(/(?:http:\/\/)?127\.0\.0\.1:9200/g, openSearch)
    .replaceAll(/(?:http:\/\/)?127\.0\.0\.1:9650/g, api);
  const env = { ...process.env, AOSC_API_URL: api };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${curl}\n${script}`], {
    cwd: root,
    env,
    timeout: timeoutMs,
  });
  return stdout;
}
