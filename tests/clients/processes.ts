import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** One request of the good client. */
export interface Ask {
  readonly kind: string;
  /** from the moment it was due to the last byte of the answer */
  readonly latencyMs: number;
  /** the status, or what kept it from having one */
  readonly result: number | string;
}

export interface GoodClientOptions {
  readonly port: number;
  readonly isSecure: boolean;
  /** of the authority, when it is secure */
  readonly ca: string;
  readonly authorizations: Readonly<Record<string, string>>;
  readonly requestsPerSecond: number;
  readonly seconds: number;
}

/** Asks from a process of its own, whose loop nothing else keeps busy. */
export async function askAsGoodClient(options: GoodClientOptions): Promise<readonly Ask[]> {
  const child = run('good-client.mjs', []);
  child.stdin.end(JSON.stringify(options));
  return JSON.parse(await text(child.stdout)) as readonly Ask[];
}

/** Clients that mean no good. */
export interface Attack {
  readonly name: string;
  /** @returns what they did, as they have printed it */
  end(): Promise<string>;
}

/**
 * Starts an attack in a process of its own, of the lowest priority: a real flood comes over the network and takes no
 * processor time from the API.
 */
export function startAttack(name: 'holders' | 'guessers', args: readonly string[]): Attack {
  const child = run(`${name}.mjs`, args, { detached: true });
  setPriorityOf(child, constants.priority.PRIORITY_LOW);
  const printed = text(child.stdout);
  return {
    name,
    end: async () => {
      // On a machine that is busy with other work, a process of the lowest priority would not come to its end for minutes.
      setPriorityOf(child, constants.priority.PRIORITY_NORMAL);
      child.stdin.end();
      return (await printed).trim();
    },
  };
}

/** Linux shares processors among sessions first (autogroups), so a process's own priority counts only within its own. */
function setPriorityOf({ pid }: ChildProcess, priority: number): void {
  if (pid === undefined) return;
  setPriority(pid, priority);
  const autogroup = `/proc/${pid}/autogroup`;
  if (existsSync(autogroup)) writeFileSync(autogroup, String(priority));
}

function run(file: string, args: readonly string[], options: { readonly detached?: boolean } = {}) {
  const child = spawn(process.execPath, [join(__dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  endWithUs(child);
  return child;
}

function endWithUs(child: ChildProcess): void {
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Milliseconds a process's first thread, where Node's loop runs, has run and has waited for a processor. */
export interface LoopTimes {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** @param pid of a process that runs on this machine */
export function readLoopTimes(pid: number): LoopTimes {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
    .split(' ')
    .map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}
