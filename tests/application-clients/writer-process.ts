import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Ledger } from './judge';

/** How a writer program is started; the address, the alias and a prefix for its ids follow its own arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * A program in its own language that writes through the alias until its input ends, ten writes at a time. It prints
 * what was acknowledged, how many writes were refused and are tried again, and what it gave up: see `judge.ts`.
 */
export interface WriterProcess {
  readonly ledger: Ledger;
  /** @throws with the end of what it wrote to stderr when it does not run any more */
  check(): void;
  /** When it has ended, which it does by itself after it gave a write up. */
  readonly ended: Promise<void>;
  /** Ends its input, and waits until the writes under way are done. @throws unless it ended well */
  stop(): Promise<void>;
  kill(): void;
}

export function startWriterProcess(
  { file, args }: Command,
  { url, alias, prefix }: { readonly url: string; readonly alias: string; readonly prefix: string },
): WriterProcess {
  const child = spawn(file, [...args, url, alias, prefix], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ledger = new Ledger();
  let trouble = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (trouble = (trouble + text).slice(-4_000)));
  child.stdin.on('error', () => undefined); // it ended before its input did: `check` reports it
  child.on('error', (error) => (trouble += error.message));
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      ledger.note(line);
    } catch (error) {
      trouble += `${line}: ${String(error)}`;
      child.kill();
    }
  });
  // Not `exit`: what it printed last may still be on its way then.
  const ended = once(child, 'close').then(
    () => undefined,
    () => undefined,
  );
  const describe = (): string =>
    `writer ${prefix} ended with ${child.exitCode ?? child.signalCode ?? 'nothing'}: ${trouble}`;
  return {
    ledger,
    check: () => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        throw new Error(`${describe()} ${ledger.failed.join('; ')}`);
    },
    ended,
    stop: async () => {
      child.stdin.end();
      await ended;
      if (child.exitCode !== 0) throw new Error(describe());
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
