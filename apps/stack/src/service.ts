import { join, resolve } from 'node:path';
import { findFreePorts, type ServiceProcess, startServiceProcess } from '@aosc/local-stack';

/** Variables for a process; undefined takes one away. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Where built processes are, of this version or of another one. */
export interface Build {
  /** the folder with a folder for each of them */
  readonly apps: string;
  /** variables that its processes get instead; undefined: a variable that they do not know */
  readonly env?: Environment;
}

export interface ServiceOptions {
  readonly openSearchUrls: readonly string[];
  readonly redisUrl: string;
  /** Number of worker processes; default 1. */
  readonly workers?: number;
  /** Number of scheduler processes; default 1. */
  readonly schedulers?: number;
  /** Default: a free one. */
  readonly apiPort?: number;
  /** Default: this very build. */
  readonly build?: Build | undefined;
  /** Further `AOSC_*` variables, for every process. */
  readonly env?: Environment;
  /** For node itself in every worker, e.g. `--cpu-prof`. */
  readonly workerNodeArgs?: readonly string[];
  /** Each process logs to `<name>.log` in it. */
  readonly logDir: string;
  readonly signal?: AbortSignal | undefined;
}

/** The running processes of the service. They end with this process at the latest. */
export interface Service {
  readonly apiUrl: string;
  /** The API process that was started last. */
  readonly api: ServiceProcess;
  /** All that were started so far, the ended ones included. */
  readonly workers: readonly ServiceProcess[];
  readonly schedulers: readonly ServiceProcess[];
  /** Starts another one and waits until it is ready; variables given here win. */
  startWorker(env?: Environment): Promise<ServiceProcess>;
  startScheduler(env?: Environment): Promise<ServiceProcess>;
  /** Starts the API again, at the same address, after its end. */
  startApi(env?: Environment): Promise<ServiceProcess>;
  /** Processes started from now on are of this build; undefined: of this very one. */
  useBuild(build: Build | undefined): void;
  /** Ends the workers first, then the schedulers and the API, politely. May be called again. */
  stop(): Promise<void>;
}

type Replica = 'worker' | 'scheduler';

/** The same from `src` and from `dist`. */
const ownBuild: Build = { apps: resolve(__dirname, '../..') };

/**
 * Starts the built processes of the service against running servers and returns when each answers its `/readyz`.
 * @throws Error with the end of the log of the first that did not become ready; none is left running then
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const failed = new AbortController();
  const running: Record<Replica, ServiceProcess[]> = { worker: [], scheduler: [] };
  const launched: Record<Replica, number> = { worker: 0, scheduler: 0 };
  let api: ServiceProcess | undefined;
  let build = options.build ?? ownBuild;

  const startReplica = async (app: Replica, env: Environment = {}, signal?: AbortSignal) => {
    launched[app] += 1;
    const name = `${app}-${launched[app]}`;
    const [port = 0] = await findFreePorts(1);
    const process = await launch(
      { ...options, build },
      app,
      name,
      port,
      { AOSC_METRICS_PORT: String(port), ...env },
      signal,
    );
    running[app].push(process);
    return process;
  };
  const startApi = async (port: number, env: Environment = {}, signal?: AbortSignal) => {
    api = await launch(
      { ...options, build },
      'api',
      'api',
      port,
      { AOSC_API_PORT: String(port), ...env },
      signal,
    );
    return api;
  };
  const stop = async () => {
    await Promise.all(running.worker.map((worker) => worker.stop()));
    await Promise.all([...running.scheduler, ...(api ? [api] : [])].map((process) => process.stop()));
  };

  const [freePort = 0] = await findFreePorts(1);
  const apiPort = options.apiPort ?? freePort;
  const startingApi = startApi(apiPort, {}, failed.signal);
  const starting = [
    startingApi,
    ...times(options.schedulers ?? 1, () => startReplica('scheduler', {}, failed.signal)),
    ...times(options.workers ?? 1, () => startReplica('worker', {}, failed.signal)),
  ];
  try {
    await Promise.all(starting);
  } catch (error) {
    failed.abort(new Error('another process of the service did not start'));
    await Promise.allSettled(starting);
    await stop();
    throw error;
  }
  const firstApi = await startingApi;
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    get api() {
      return api ?? firstApi;
    },
    workers: running.worker,
    schedulers: running.scheduler,
    startWorker: (env) => startReplica('worker', env, options.signal),
    startScheduler: (env) => startReplica('scheduler', env, options.signal),
    startApi: (env) => startApi(apiPort, env, options.signal),
    useBuild: (next) => {
      build = next ?? ownBuild;
    },
    stop,
  };
}

function launch(
  {
    openSearchUrls,
    redisUrl,
    env,
    build,
    workerNodeArgs = [],
    logDir,
    signal,
  }: ServiceOptions & { build: Build },
  app: 'api' | Replica,
  name: string,
  port: number,
  own: Environment,
  endedBy: AbortSignal | undefined,
): Promise<ServiceProcess> {
  const signals = [signal, endedBy].filter((given) => given !== undefined);
  return startServiceProcess({
    name,
    entry: join(build.apps, app, 'dist/main.js'),
    nodeArgs: app === 'worker' ? workerNodeArgs : [],
    env: {
      AOSC_OPENSEARCH_URL: openSearchUrls.join(','),
      AOSC_REDIS_URL: redisUrl,
      ...env,
      ...build.env,
      ...own,
    },
    logDir,
    readyUrl: `http://127.0.0.1:${port}/readyz`,
    signal: AbortSignal.any(signals),
  });
}

function times<T>(count: number, make: () => Promise<T>): readonly Promise<T>[] {
  return Array.from({ length: count }, make);
}
