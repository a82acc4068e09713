import type { RedisAccess } from '@aosc/contract';
import { Cluster, Redis } from 'ioredis';
import { explainFailure } from './explain-failure';

/** How a connection behaves while Redis is away. */
export type ConnectionRole =
  /** fails at once: a person waits for an HTTP response */
  | 'impatient'
  /** fails even sooner: every request asks it first, and goes on without it */
  | 'hasty'
  /** retries for ever: a worker has nothing else to do */
  | 'patient';

/** To one server, to the primary behind sentinels, or to the nodes of a Redis Cluster. */
export type Connection = Redis | Cluster;

const roles = {
  patient: { enableOfflineQueue: true, times: { maxRetriesPerRequest: null } },
  impatient: {
    enableOfflineQueue: false,
    times: { maxRetriesPerRequest: 1, connectTimeout: 2000, commandTimeout: 5000 },
  },
  hasty: {
    enableOfflineQueue: false,
    times: { maxRetriesPerRequest: 0, connectTimeout: 2000, commandTimeout: 250 },
  },
} as const;

const retryDelay = (attempt: number): number => Math.min(attempt * 200, 2000);

/** A silent sentinel must not hold the connection up: the next one knows as much. */
const sentinelTimeoutMs = 2000;
const defaultSentinelPort = 26_379;
/**
 * A lost machine closes no connection. BullMQ waits 10 s for an answer at most, and a connection that waits for none is
 * left alone.
 */
const silenceMs = 15_000;

/**
 * How often a connection to a Redis Cluster asks which node holds what. A lost machine closes no connection, so this
 * finds its successor.
 */
const slotsRefreshMs = 5000;
const clusterRetryMs = 250;
/** How long a patient connection retries a command: a failover takes `cluster-node-timeout` and some seconds. */
const clusterPatienceMs = 60_000;

/**
 * One connection, which follows the primary when it changes. A replica that was promoted, or a primary that was
 * demoted, answers READONLY: reconnecting finds the right server.
 * @param onError every connection needs a listener, or an unreachable Redis ends the process
 */
export function createConnection(
  access: RedisAccess,
  role: ConnectionRole,
  onError: (error: Error) => void,
): Connection {
  const connection = access.redisCluster === undefined ? openServer(access, role) : openCluster(access, role);
  connection.on('error', (error: Error) => onError(explainFailure(error)));
  return connection;
}

function openServer(access: RedisAccess, role: ConnectionRole): Redis {
  return new Redis(access.redisUrl, {
    ...tlsFor([access.redisUrl], access),
    ...sentinelOptions(access),
    retryStrategy: retryDelay,
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    enableOfflineQueue: roles[role].enableOfflineQueue,
    ...roles[role].times,
    socketTimeout: silenceMs,
  });
}

/** An empty object would also switch TLS on for redis://. */
function tlsFor(urls: readonly string[], { redisTls = {} }: RedisAccess): { tls?: object } {
  return urls.some((url) => url.startsWith('rediss:')) ? { tls: redisTls } : {};
}

function sentinelOptions(access: RedisAccess) {
  const { redisUrl, redisSentinels: urls = [] } = access;
  const [first] = urls;
  if (first === undefined) return {};
  const { username, password } = new URL(first);
  const { tls: sentinelTLS } = tlsFor(urls, access);
  return {
    name: new URL(redisUrl).hostname,
    sentinels: urls.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: withoutBrackets(hostname), port: Number(port || defaultSentinelPort) };
    }),
    ...(username === '' ? {} : { sentinelUsername: decodeURIComponent(username) }),
    ...(password === '' ? {} : { sentinelPassword: decodeURIComponent(password) }),
    ...(sentinelTLS === undefined ? {} : { sentinelTLS }),
    enableTLSForSentinelMode: redisUrl.startsWith('rediss:'),
    sentinelCommandTimeout: sentinelTimeoutMs,
    sentinelRetryStrategy: retryDelay,
    // Without ioredis's detector of failovers: it breaks off a connection that is just opening, which then ends for good.
  };
}

function openCluster(access: RedisAccess, role: ConnectionRole): Cluster {
  const { redisUrl, redisCluster = [] } = access;
  const { username, password } = new URL(redisUrl);
  return new Cluster(
    redisCluster.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: withoutBrackets(hostname), port: Number(port || 6379) };
    }),
    {
      redisOptions: {
        ...roles[role].times,
        socketTimeout: silenceMs,
        ...tlsFor(redisCluster, access),
        ...(username === '' ? {} : { username: decodeURIComponent(username) }),
        ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      },
      enableOfflineQueue: roles[role].enableOfflineQueue,
      clusterRetryStrategy: retryDelay,
      // In a failover the check fails, and ioredis then never settles `connect()`. BullMQ waits for that, so a worker
      // would take no more jobs. Without the check, a node that can't answer yet says so, and ioredis asks again.
      enableReadyCheck: false,
      slotsRefreshInterval: slotsRefreshMs,
      retryDelayOnFailover: clusterRetryMs,
      retryDelayOnClusterDown: clusterRetryMs,
      retryDelayOnTryAgain: clusterRetryMs,
      ...(role === 'patient' && { maxRedirections: clusterPatienceMs / clusterRetryMs }),
      // A certificate is for a name: addresses would not match it.
      dnsLookup: (address, found) => found(null, address),
    },
  );
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A cluster runs commands without keys on any node; inside a script they run on the key's node. */
const forward = 'return redis.call(unpack(ARGV))';

/** Sends a command without keys to the server, or to the cluster's node that holds the key. */
export async function askHolder(connection: Connection, key: string, ...words: string[]): Promise<unknown> {
  if (connection instanceof Cluster) return connection.eval(forward, 1, key, ...words);
  const [name = '', ...rest] = words;
  return connection.call(name, ...rest);
}
