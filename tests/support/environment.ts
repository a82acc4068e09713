import {
  type NodeOptions,
  type ServiceProcess,
  type Settings,
  type Stack,
  type StackOptions,
  startStack,
  waitUntil,
} from '@aosc/local-stack';
import { type Build, type Service, startService } from '@aosc/stack';
import { borrowStack, createHttpClient, type HttpClient, sendChecked } from '@aosc/testkit';
import { secureCluster, type ClusterAccess, security } from './secured-cluster';

interface ServerUrls {
  readonly openSearchUrls: readonly string[];
  readonly redisUrl: string;
}

export interface EnvironmentOptions {
  /** OpenSearch nodes, or each one's own wishes; default 1 */
  readonly nodes?: number | readonly NodeOptions[];
  /** how many of the first nodes no test stops: only these serve the oracle and the writers; default: all */
  readonly lastingNodes?: number;
  /** indices are kept in a repository, which search replicas read from; default false */
  readonly remoteStore?: boolean;
  /** heap of each node */
  readonly heapMb?: number;
  /** with the security plugin, TLS, and the least privileges for the service; default false */
  readonly secured?: boolean;
  /** TLS and further lines of the stack's own Redis */
  readonly redis?: Pick<StackOptions, 'redisTls' | 'redisLines'>;
  /** default 1 */
  readonly workers?: number;
  /** default 1 */
  readonly schedulers?: number;
  /** lines for every node's `opensearch.yml` */
  readonly openSearchSettings?: Settings;
  /** Makes the addresses that the service gets, for a proxy in between; default: the servers' own. */
  readonly connect?: (stack: Stack) => Promise<ServerUrls>;
  /** whose processes are started; default: this very build's */
  readonly build?: Build;
  /** further variables for every process of the service; they win over {@link quickTimers} */
  readonly env?: Readonly<Record<string, string>>;
  /** `aosc.*` settings, set before anything else happens */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Real servers and the built service on them, for all tests of one file. */
export interface Environment {
  /** for the oracle: of the nodes that last, on a secured cluster with an administrator's credentials */
  readonly urls: readonly string[];
  /** for the applications that write */
  readonly writerUrls: readonly string[];
  readonly apiUrl: string;
  readonly http: HttpClient;
  readonly stack: Stack;
  readonly service: Service;
  /** Sets `aosc.*` settings through the API; workers follow within about a second. */
  putSettings(settings: Readonly<Record<string, string | null>>): Promise<void>;
  /** The workers that run now. */
  workers(): readonly ServiceProcess[];
  /** Makes sure that exactly this many workers and one scheduler run: what a test before has killed is replaced. */
  restore(workers: number): Promise<void>;
  /** Saves the logs when `work` throws and adds to the error where they are. */
  keepingLogs<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the service, then the servers; their folder goes with them. */
  stop(): Promise<void>;
}

/** A dead process is noticed in seconds. Still long enough for a machine whose every core is busy. */
const quickTimers = {
  AOSC_LOCK_DURATION_MS: '4000',
  AOSC_STALLED_CHECK_MS: '1000',
  AOSC_HEARTBEAT_MS: '300',
  AOSC_RECONCILE_INTERVAL_MS: '500',
  AOSC_REPLAY_INTERVAL_MS: '300',
  AOSC_CONVERGED_REST_MS: '1500',
} as const;

/** @throws what did not start; nothing is left running then */
export async function startEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
  const { secured = false, heapMb, openSearchSettings, remoteStore } = options;
  const stack = await startStack({
    nodes: options.nodes ?? 1,
    ...options.redis,
    ...(heapMb !== undefined && { heapMb }),
    ...(remoteStore !== undefined && { remoteStore }),
    ...(secured && { security }),
    ...(openSearchSettings !== undefined && { openSearchSettings }),
  });
  return startOn(stack, options);
}

/**
 * The service, on the servers that the files of a jest worker share (`borrowStack()`). Its processes are the file's own.
 * @throws what did not start
 */
export async function borrowEnvironment(
  options: Pick<EnvironmentOptions, 'workers' | 'connect' | 'env' | 'settings'> = {},
): Promise<Environment> {
  return startOn(await borrowStack(), options);
}

async function startOn(stack: Stack, options: EnvironmentOptions): Promise<Environment> {
  try {
    const cluster = options.secured ? await secureCluster(stack) : unsecured(stack, options.lastingNodes);
    const { openSearchUrls, redisUrl } = (await options.connect?.(stack)) ?? stack;
    const service = await startService({
      openSearchUrls,
      redisUrl,
      workers: options.workers ?? 1,
      schedulers: options.schedulers ?? 1,
      logDir: stack.logFolder,
      build: options.build,
      env: { ...quickTimers, ...cluster.env, ...options.env },
    });
    const environment = createEnvironment(stack, service, cluster);
    if (options.settings !== undefined) await environment.putSettings(options.settings);
    return environment;
  } catch (error) {
    const told = await stack.withKeptLogs(error);
    await stack.stop();
    throw told;
  }
}

/** @param lastingNodes left out: all */
function unsecured({ openSearchUrls }: Stack, lastingNodes?: number): ClusterAccess {
  const urls = openSearchUrls.slice(0, lastingNodes);
  return { urls, writerUrls: urls, env: {} };
}

function createEnvironment(stack: Stack, service: Service, { urls, writerUrls }: ClusterAccess): Environment {
  const http = createHttpClient(urls);
  const workers = () => service.workers.filter((worker) => worker.isRunning());
  return {
    urls,
    writerUrls,
    apiUrl: service.apiUrl,
    http,
    stack,
    service,
    workers,
    putSettings: (settings) => putSettings(service.apiUrl, settings),
    async restore(wanted) {
      for (const extra of workers().slice(wanted)) await extra.stop();
      for (let count = workers().length; count < wanted; count += 1) await service.startWorker();
      const schedulers = service.schedulers.filter((scheduler) => scheduler.isRunning());
      for (const extra of schedulers.slice(1)) await extra.stop();
      if (schedulers.length === 0) await service.startScheduler();
    },
    async keepingLogs(work) {
      try {
        return await work();
      } catch (error) {
        throw await withLogs(stack, error);
      }
    },
    async stop() {
      http.close();
      await service.stop();
      await stack.stop();
    },
  };
}

async function putSettings(apiUrl: string, settings: Readonly<Record<string, string | null>>): Promise<void> {
  const { status, body } = await sendChecked(apiUrl, '/_cluster/settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ persistent: settings }),
  });
  if (status !== 200) throw new Error(`PUT _cluster/settings: ${status} ${JSON.stringify(body)}`);
}

/** The error and its stack stay the same: only its text grows. */
async function withLogs(stack: Stack, error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const place = await stack.withKeptLogs(new Error(stack.logFolder));
  const where = place instanceof Error ? place.message : stack.logFolder;
  const { stack: trace } = error;
  error.message += `\nlogs: ${where}`;
  if (trace !== undefined) error.stack = `${trace}\nlogs: ${where}`;
  return error;
}

const patienceMs = 300_000;

/** Waits for a condition of a test, five minutes at the most. @param what as it reads after "Waited in vain for" */
export function until(
  what: string,
  isMet: () => boolean | Promise<boolean>,
  timeoutMs = patienceMs,
): Promise<void> {
  return waitUntil(async () => isMet(), { what, timeoutMs, endedBy: [] });
}

/** The same without a pause between two looks, for what lasts a moment only. `look` must do I/O. */
export async function rightWhen(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what} for ${patienceMs} ms`);
  }
}
