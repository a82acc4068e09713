import {
  type Lifetime,
  type NodeOptions,
  planNodes,
  remoteStoreSettings,
  type Settings,
} from './node-config';
import { fetchDistribution } from './fetch-distribution';
import { findFreePorts } from './free-ports';
import { type Programs, providePrograms } from './provide-programs';
import { chooseRunAs, type RunAs } from './run-as';
import { createRunFolder, keepLogs, type RunFolder } from './run-folder';
import { type LaunchedServer, type Server } from './server';
import { type Security, securitySettings, withoutSecurity } from './security-config';
import { launchNode, type NodeContext } from './start-node';
import { launchRedis, type RedisServerTls } from './start-redis';
import { type OnProgress } from './step-progress';
import { defaultOpenSearchVersion, securedOpenSearchVersion } from './versions';

export interface StackOptions {
  /** A number of equal nodes, or each node's own wishes; default 1. 0: only Redis. */
  readonly nodes?: number | readonly NodeOptions[];
  /** Default true. */
  readonly redis?: boolean;
  /** Redis takes only TLS, from clients that show a certificate of the same authority; PEM texts. */
  readonly redisTls?: RedisServerTls;
  /** Further lines for the configuration of Redis. */
  readonly redisLines?: readonly string[];
  /** Heap of each node; default 1024 for one node, 768 for several. */
  readonly heapMb?: number;
  /**
   * Default `short`: the nodes live for minutes, so their JVM does without the optimising compiler, which would take
   * most of two cores for that long (a migration of 170,000 documents took 1.5 times as long). `long`: as in
   * production, for benchmarks.
   */
  readonly lifetime?: Lifetime;
  /**
   * With the security plugin: https, and users (see {@link adminUser}); never the cluster of AOSC_OPENSEARCH_URL.
   * Default: without it, plain http.
   */
  readonly security?: Security;
  /**
   * Default: `AOSC_OPENSEARCH_VERSION`, else the version this project is mostly tested with; with `security`, the
   * newest one that has the plugin.
   */
  readonly version?: string;
  /** Gets a line about each step that may take long. */
  readonly log?: (line: string) => void;
  /** Learns how far such a step is. */
  readonly onProgress?: OnProgress;
  /** Lines for every node's `opensearch.yml`. */
  readonly openSearchSettings?: Settings;
  /** Indices are kept in a repository, which search replicas read from. Default false. */
  readonly remoteStore?: boolean;
  /** A cluster to use instead, as AOSC_OPENSEARCH_URL names it; default: that variable. */
  readonly openSearchUrl?: string | undefined;
  /** A Redis to use instead, as AOSC_REDIS_URL names it; default: that variable. */
  readonly redisUrl?: string | undefined;
  /** Ends the start; what was started by then is stopped. */
  readonly signal?: AbortSignal;
}

export interface Stack {
  readonly openSearchUrls: readonly string[];
  /** @throws Error when the stack was started without Redis */
  readonly redisUrl: string;
  /** In the order asked for; empty when another cluster is used. */
  readonly nodes: readonly Server[];
  /** @throws Error when there is no Redis of our own: none was asked for, or another one is used */
  readonly redis: Server;
  /** Goes with the stack; further processes may log here too. */
  readonly logFolder: string;
  /**
   * Saves the logs from `stop()` when an error names one of them, for example that of a process which logs here too.
   * @returns the error as it was, but with the paths that the logs have from now on
   */
  withKeptLogs(error: unknown): Promise<unknown>;
  /** Kills the servers and removes their folder with data and logs. May be called again. */
  stop(): Promise<void>;
}

interface Parts {
  readonly folder: RunFolder;
  readonly runAs: RunAs | undefined;
  readonly nodes: Server[];
  redis: Server | undefined;
}

/**
 * Starts real OpenSearch nodes and a real Redis as child processes and waits until they are ready. They do not
 * keep this process alive, and end with it however it ends. `AOSC_OPENSEARCH_URL` and `AOSC_REDIS_URL` name
 * servers to use instead, `AOSC_OPENSEARCH_HOME`, `AOSC_JAVA_HOME` and `AOSC_REDIS_SERVER` programs to start.
 * @throws MissingProgramsError with all that is missing, or Error with the end of the log of what did not start
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const runAs = chooseRunAs();
  const parts: Parts = { folder: await createRunFolder(runAs), runAs, nodes: [], redis: undefined };
  try {
    const programs = await prepare(parts, options);
    const redisUrl = await startRedis(parts, programs.redis, options);
    const openSearchUrls = await startOpenSearch(parts, programs.openSearch, options);
    options.signal?.throwIfAborted();
    return createStack(parts, openSearchUrls, redisUrl);
  } catch (error) {
    await killServers(parts);
    const detailed = options.signal?.aborted ? error : await withKeptLogs(error, parts.folder);
    await parts.folder.remove();
    throw detailed;
  }
}

async function startRedis(
  parts: Parts,
  command: string | undefined,
  options: StackOptions,
): Promise<string | undefined> {
  if (command === undefined) return findRedisElsewhere(options);
  const [port = 0] = await findFreePorts(1);
  const { server, waitUntilReady } = await launchRedis({
    ...parts,
    command,
    port,
    tls: options.redisTls,
    lines: options.redisLines ?? [],
  });
  parts.redis = server;
  await waitUntilReady(options.signal);
  return server.url;
}

function findRedisElsewhere({ redis = true, redisUrl }: StackOptions): string | undefined {
  return redis ? redisUrl || process.env['AOSC_REDIS_URL'] || undefined : undefined;
}

function findOpenSearchElsewhere({ security, openSearchUrl }: StackOptions): readonly string[] | undefined {
  if (security !== undefined) return undefined;
  const urls = openSearchUrl || process.env['AOSC_OPENSEARCH_URL'] || undefined;
  return urls?.split(',').map((url) => url.trim());
}

/** What has to be started here, with all that it needs. */
async function prepare({ runAs }: Parts, options: StackOptions): Promise<Programs> {
  const { security, redis = true } = options;
  const secured = security !== undefined;
  const isHere = findOpenSearchElsewhere(options) === undefined && nodesOf(options).length > 0;
  const openSearch = {
    version: versionOf(options),
    secured,
    takesHome: !secured && options.version === undefined,
  };
  return providePrograms(
    {
      ...(isHere && { openSearch }),
      redis: redis && findRedisElsewhere(options) === undefined,
    },
    { env: process.env, runAs, log: logOf(options) },
  );
}

function versionOf({ version, security }: StackOptions): string {
  if (version !== undefined) return version;
  if (security !== undefined) return securedOpenSearchVersion;
  return process.env['AOSC_OPENSEARCH_VERSION'] || defaultOpenSearchVersion;
}

async function startOpenSearch(
  parts: Parts,
  programs: Programs['openSearch'],
  options: StackOptions,
): Promise<readonly string[]> {
  const { security, signal } = options;
  if (programs === undefined) return findOpenSearchElsewhere(options) ?? [];
  const { jdk, home } = programs;
  const secured = security !== undefined;
  const version = home?.version ?? versionOf(options);
  const log = logOf(options);
  const distribution =
    home?.path ??
    (await fetchDistribution({
      version,
      secured,
      runAs: parts.runAs,
      // Maven runs on the same Java when none is set up for it
      env: { JAVA_HOME: jdk.home, ...process.env },
      log,
      onProgress: options.onProgress ?? (() => undefined),
      signal,
    }));
  const wanted = nodesOf(options);
  const plans = planNodes(wanted, await findFreePorts(2 * wanted.length), {
    heapMb: options.heapMb,
    lifetime: options.lifetime,
    settings: {
      ...(secured ? securitySettings() : withoutSecurity(distribution)),
      ...(options.remoteStore === true && remoteStoreSettings(parts.folder.make('remote'))),
      ...options.openSearchSettings,
    },
  });
  log(
    `starting OpenSearch ${version}${home === undefined ? '' : ` of ${home.path}`}: ` +
      `${plans.length} node(s) on Java ${jdk.major}`,
  );
  const countRunning = () => parts.nodes.filter((node) => node.isRunning()).length;
  const context: NodeContext = {
    ...parts,
    distribution,
    isGiven: home !== undefined,
    javaHome: jdk.home,
    plans,
    security,
    countRunning,
  };
  const launched: LaunchedServer[] = [];
  for (const plan of plans) {
    signal?.throwIfAborted();
    const node = await launchNode(plan, context);
    launched.push(node);
    parts.nodes.push(node.server);
  }
  await untilAllReady(launched, `starting OpenSearch ${version}`, options);
  return parts.nodes.map(({ url }) => url);
}

async function untilAllReady(
  launched: readonly LaunchedServer[],
  what: string,
  { onProgress = () => undefined, signal }: StackOptions,
): Promise<void> {
  let done = 0;
  const report = () => onProgress({ what, done, total: launched.length, unit: 'nodes' });
  report();
  await Promise.all(
    launched.map(async ({ waitUntilReady }) => {
      await waitUntilReady(signal);
      done += 1;
      report();
    }),
  );
}

function nodesOf({ nodes = 1 }: StackOptions): readonly NodeOptions[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, () => ({}));
}

function logOf({ log = () => undefined }: StackOptions): (line: string) => void {
  return log;
}

function createStack(parts: Parts, openSearchUrls: readonly string[], redisUrl: string | undefined): Stack {
  return {
    openSearchUrls,
    nodes: parts.nodes,
    logFolder: parts.folder.logs,
    get redisUrl() {
      if (redisUrl === undefined) throw new Error('This stack was started without Redis');
      return redisUrl;
    },
    get redis() {
      if (parts.redis === undefined) throw new Error('This stack has no Redis of its own');
      return parts.redis;
    },
    withKeptLogs: (error) => withKeptLogs(error, parts.folder),
    async stop() {
      await killServers(parts);
      await parts.folder.remove();
    },
  };
}

/** Their data goes with them, so there is nothing that a slower end would save. */
async function killServers({ nodes, redis }: Parts): Promise<void> {
  await Promise.all([...nodes, ...(redis ? [redis] : [])].map((server) => server.kill()));
}

async function withKeptLogs(error: unknown, folder: RunFolder): Promise<unknown> {
  if (!(error instanceof Error) || !error.message.includes(folder.logs)) return error;
  const kept = await keepLogs(folder, process.env);
  return new Error(error.message.replaceAll(folder.logs, kept), { cause: error });
}
