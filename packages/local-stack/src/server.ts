import { type Child } from './child';

/** An OpenSearch node or Redis under the control of a test. */
export interface Server {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  /** Process id, also that of its group; that of the last run while it is down. */
  readonly pid: number;
  isRunning(): boolean;
  /** kill -9, then waits for the end. */
  kill(): Promise<void>;
  /** SIGTERM, then kill -9 when it takes longer than half a minute; waits for the end. */
  stop(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /**
   * Starts it again on the same port, with its data as far as it had written it (Redis: empty); stops it first when
   * it runs. Returns when it is ready.
   */
  restart(signal?: AbortSignal): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  readonly url: string;
  launch(): Promise<Child>;
  /** Waits for a bounded time; the child's end and the signal end it early. */
  waitUntilReady(endedBy: readonly (AbortSignal | undefined)[], logFile: string): Promise<void>;
}

export interface LaunchedServer {
  readonly server: Server;
  readonly waitUntilReady: (signal: AbortSignal | undefined) => Promise<void>;
}

const graceMs = 30_000;

/** Launches the process and returns at once: several may come up at the same time, then one waits for each. */
export async function launchServer(options: ServerOptions): Promise<LaunchedServer> {
  let child = await options.launch();
  const waitUntilReady = (signal: AbortSignal | undefined) =>
    options.waitUntilReady([child.gone, signal], child.logFile);
  const stop = async () => {
    await child.stop(graceMs);
  };
  const server: Server = {
    name: options.name,
    url: options.url,
    logFile: child.logFile,
    get pid() {
      return child.pid;
    },
    isRunning: () => child.isRunning(),
    async kill() {
      await child.kill();
    },
    stop,
    pause: () => child.signal('SIGSTOP'),
    resume: () => child.signal('SIGCONT'),
    async restart(signal) {
      await stop();
      child = await options.launch();
      await waitUntilReady(signal);
    },
  };
  return { server, waitUntilReady };
}
