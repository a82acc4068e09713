import type { OpenSearchAccess } from '@aosc/config';
import { type Clock, isClusterError, type RepeatPolicy, repeatTransient } from '@aosc/engine';
import { createClient, createClusterPorts } from '@aosc/opensearch';
import { createOpenSearchDocuments, createRefusedStore, createStore, gatherRequests } from '@aosc/store';
import type { Logger, Traces } from '@aosc/telemetry';
import { logSeldom } from './log-seldom';
import { systemClock } from './system-clock';

/** Between two tries; each wait is longer than the last, because no operator reads a line every two seconds. */
const retryMs = { first: 1_000, longest: 30_000 };

/** For the client: logs that it gets through again, so that an operator can look for the cause. */
export function logRenewal(logger: Logger): (node: string) => void {
  return (node) =>
    logger.warn('a node answered on none of our connections, but on a fresh one: all were renewed', {
      event: 'connections_renewed',
      node,
    });
}

/** Records that can't be read and have pauses of their own in the log. */
const maxUnreadable = 1_000;

/** For the store: each look at the migrations finds the same record, so its log lines come after pauses that grow. */
export function logUnreadable(
  logger: Logger,
  clock: Pick<Clock, 'monotonic'>,
): (record: string, error: unknown) => void {
  const complain = logSeldom(
    (error, timesBefore, record) =>
      logger.error('a record can not be read: this process passes over its migration', {
        record,
        timesBefore,
        error,
      }),
    () => clock.monotonic(),
    maxUnreadable,
  );
  return (record, error) => complain(error instanceof Error ? error : new Error(String(error)), record);
}

/**
 * Connects to OpenSearch and ensures that `.aosc-migrations` exists. It waits for a cluster that is not up yet: the
 * processes of the service may start first.
 */
export async function connectCluster(
  options: OpenSearchAccess & { readonly urls: readonly string[]; readonly requestTimeoutMs: number },
  logger: Logger,
  traces: Traces,
  signal: AbortSignal,
) {
  const { urls, ...access } = options;
  const client = createClient({ nodes: urls, ...access, trace: traces, onRenewal: logRenewal(logger) });
  const ports = createClusterPorts(client, traces);
  const store = createStore(
    gatherRequests(createOpenSearchDocuments(client), options.requestTimeoutMs, traces),
    () => Date.now(),
    logUnreadable(logger, systemClock),
  );
  const addresses = urls.map(withoutUser).join(', ');
  const logAndWait: RepeatPolicy = (error, tries) => {
    if (!isClusterError(error, 'transient', 'overload', 'blocked')) return undefined;
    const pauseMs = Math.min(retryMs.first * 2 ** (tries - 1), retryMs.longest);
    const away =
      `OpenSearch does not answer at ${addresses}: ${error.message}. Trying again in ${pauseMs / 1000} s. ` +
      'If it is up, check AOSC_OPENSEARCH_URL, and whether this machine may connect';
    logger.warn(error.kind === 'blocked' ? error.message : away, { event: 'opensearch_away' });
    return pauseMs;
  };
  const connect = async () => {
    const clusterUuid = await ports.uuid({ signal });
    await store.ensureIndex({ signal });
    // A new index needs a moment until its shard answers.
    await store.readSettings({ signal });
    return { client, ports, store, refused: createRefusedStore(client, () => Date.now()), clusterUuid };
  };
  return repeatTransient(connect, systemClock, signal, logAndWait);
}
/** The cluster as a process of the service uses it. */
export type Cluster = Awaited<ReturnType<typeof connectCluster>>;

/** An address may contain a password. */
function withoutUser(url: string): string {
  return new URL(url).origin;
}
