import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { hasCode } from './error-code';
import { logTail } from './log-tail';
import { type RunAs } from './run-as';
import { guardGroup, releaseGroup } from './watchdog';

export interface ChildOptions {
  /** Used in messages only. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Gets stdout and stderr; appended to. */
  readonly logFile: string;
  readonly runAs?: RunAs | undefined;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process, leader of its own group, that cannot outlive this one. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Aborted when the process has ended; the reason is an Error with the tail of the log. */
  readonly gone: AbortSignal;
  isRunning(): boolean;
  /** Sends the signal to the whole group; nothing happens when it has ended. */
  signal(signal: NodeJS.Signals): void;
  /** Waits for the end, and keeps this process alive while it does. */
  waitForExit(): Promise<Exit>;
  /** kill -9, then waits for the end. */
  kill(): Promise<Exit>;
  /** SIGTERM, then kill -9 when it has not ended after `graceMs`. */
  stop(graceMs: number): Promise<Exit>;
}

/**
 * The shell waits for a line before it becomes the command, and ends when the pipe closes without one: a parent
 * killed between the start and the watchdog's entry leaves nothing behind.
 */
const gate = 'read -r go || exit 1; exec "$@" </dev/null';

/**
 * Starts a process that ends with this one at the latest.
 * @throws Error when it cannot be started at all; a command that fails later shows in `gone`
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const log = openSync(options.logFile, 'a');
  let process: ChildProcess;
  try {
    process = spawn('/bin/sh', ['-c', gate, 'sh', options.command, ...options.args], {
      stdio: ['pipe', log, log],
      detached: true,
      cwd: options.cwd,
      env: options.env,
      ...(options.runAs && { uid: options.runAs.uid, gid: options.runAs.gid }),
    });
  } finally {
    closeSync(log);
  }
  if (process.pid === undefined) {
    const [error] = await once(process, 'error').then((values: unknown[]) => values, asArray);
    throw new Error(`${options.name} could not be started`, { cause: error });
  }
  const child = watch(process, process.pid, options);
  await guardGroup(child.pid);
  process.stdin?.on('error', () => undefined); // it ended before the line came: `gone` says so
  process.stdin?.end('go\n');
  return child;
}

function asArray(error: unknown): unknown[] {
  return [error];
}

function watch(process: ChildProcess, pid: number, { name, logFile }: ChildOptions): Child {
  const gone = new AbortController();
  process.unref();
  const exited = new Promise<Exit>((resolve) => {
    process.once('exit', (code, signal) => {
      signalGroup(pid, 'SIGKILL'); // what it started and did not wait for
      void releaseGroup(pid).catch(() => undefined);
      gone.abort(
        new Error(`${name} ended with ${signal ?? `exit code ${code ?? 'unknown'}`}${logTail(logFile)}`),
      );
      resolve({ code, signal });
    });
  });
  const isRunning = () => !gone.signal.aborted;
  const signal = (sent: NodeJS.Signals) => {
    if (isRunning()) signalGroup(pid, sent);
  };
  const waitForExit = () => {
    if (isRunning()) process.ref(); // or a parent with nothing else to do would end before
    return exited;
  };
  return {
    name,
    pid,
    logFile,
    gone: gone.signal,
    isRunning,
    signal,
    waitForExit,
    kill() {
      signal('SIGKILL');
      return waitForExit();
    },
    async stop(graceMs) {
      signal('SIGTERM');
      signal('SIGCONT'); // a paused process takes the first one only when it goes on
      const timer = setTimeout(() => signal('SIGKILL'), graceMs);
      try {
        return await waitForExit();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function signalGroup(pid: number, sent: NodeJS.Signals): void {
  try {
    process.kill(-pid, sent);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
