import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from './child';
import { logTail } from './log-tail';
import { answersOk, waitUntil } from './wait-until';

export interface ServiceProcessOptions {
  /** Names the log file and stands in messages. */
  readonly name: string;
  /** Absolute path of a built entry, e.g. `apps/worker/dist/main.js`. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** For node itself, e.g. `--cpu-prof`. */
  readonly nodeArgs?: readonly string[];
  /** Added to the environment of this process; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Made when it is missing; the log is `<name>.log` in it. */
  readonly logDir: string;
  /** Ready when GET of this answers 2xx; without it, as soon as it has been started. */
  readonly readyUrl?: string;
  /** Default 60,000. */
  readonly readyTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** One of our own processes as a child that ends with this process at the latest. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Undefined when it was started without one. */
  readonly readyUrl: string | undefined;
  /** Aborted when the process has ended; the reason is an Error with the end of its log. */
  readonly gone: AbortSignal;
  isRunning(): boolean;
  /** Sends a signal (default SIGKILL); after SIGKILL it waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** SIGTERM, then kill -9 after half a minute. @returns its exit code, null when a signal ended it */
  stop(): Promise<number | null>;
}

const graceMs = 30_000;
const defaultReadyTimeoutMs = 60_000;

/**
 * Starts a built process of ours and waits until it is ready.
 * @throws Error with the end of its log when it ends or stays unready; it is not running then
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  await mkdir(options.logDir, { recursive: true });
  const child = await startChild({
    name: options.name,
    command: process.execPath,
    args: [...(options.nodeArgs ?? []), options.entry, ...(options.args ?? [])],
    env: { ...ownEnvironment(), ...options.env },
    cwd: process.cwd(),
    logFile: join(options.logDir, `${options.name}.log`),
  });
  const { readyUrl } = options;
  try {
    if (readyUrl !== undefined) {
      await waitUntil((signal) => answersOk(readyUrl, signal), {
        what: `${options.name} at ${readyUrl}`,
        timeoutMs: options.readyTimeoutMs ?? defaultReadyTimeoutMs,
        endedBy: [child.gone, options.signal],
        details: () => logTail(child.logFile),
      });
    }
  } catch (error) {
    await child.kill();
    throw error;
  }
  return {
    name: child.name,
    pid: child.pid,
    logFile: child.logFile,
    readyUrl,
    gone: child.gone,
    isRunning: () => child.isRunning(),
    async kill(signal = 'SIGKILL') {
      if (signal === 'SIGKILL') await child.kill();
      else child.signal(signal);
    },
    stop: async () => (await child.stop(graceMs)).code,
  };
}

/** What a test runner sets for itself would change how the service behaves. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, JEST_WORKER_ID: undefined };
  return env['NODE_ENV'] === 'test' ? { ...env, NODE_ENV: undefined } : env;
}
