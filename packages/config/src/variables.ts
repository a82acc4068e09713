/* eslint-disable max-lines -- one table: an entry for each variable, with its help text */
import { type App, apps } from './apps';
import {
  choice,
  file,
  host,
  hosts,
  integer,
  namePatterns,
  networks,
  optionalUrl,
  ratio,
  serverUrls,
  text,
  urls,
  userName,
  type ValueType,
} from './value-types';

/** One environment variable. `fallback` is text, so that it goes through the same check as what a user writes. */
export interface Variable<T, A extends App> {
  readonly name: string;
  readonly apps: readonly A[];
  readonly fallback: string;
  readonly type: ValueType<T>;
  readonly description: string;
}

const variable = <T, const A extends App>(spec: Variable<T, A>): Variable<T, A> => spec;

const queueApps = ['worker', 'scheduler'] as const;

const port = (min: number) =>
  integer({
    min,
    max: 65_535,
    tooLow: 'there is no such port',
    tooHigh: 'there is no such port',
  });

const optionalFile = <const A extends App>(name: string, readers: readonly A[], description: string) =>
  variable({ name, apps: readers, fallback: '', type: file, description });

const concurrency = () =>
  integer({
    min: 1,
    max: 1_000,
    tooLow: 'this worker would never take such a job',
    tooHigh: 'one process would hold more pages and bulks in memory than it can serve',
  });

/**
 * Everything an operator can set, in the order of the documentation. The key is the field of the parsed configuration.
 * One table, longer than other files because readers need it as a whole.
 */
export const variables = {
  openSearchUrls: variable({
    name: 'AOSC_OPENSEARCH_URL',
    apps,
    fallback: 'http://127.0.0.1:9200',
    type: urls('http', 'https'),
    description: 'The cluster that holds source, target and `.aosc-migrations`; any of its nodes.',
  }),
  openSearchCa: optionalFile(
    'AOSC_OPENSEARCH_CA',
    apps,
    "Authority that signed the nodes' certificates (PEM), when it is not a public one.",
  ),
  openSearchClientCert: optionalFile(
    'AOSC_OPENSEARCH_CLIENT_CERT',
    apps,
    'Certificate the service shows to OpenSearch (PEM).',
  ),
  openSearchClientKey: optionalFile(
    'AOSC_OPENSEARCH_CLIENT_KEY',
    apps,
    'Private key of that certificate (PEM).',
  ),
  openSearchUsername: variable({
    name: 'AOSC_OPENSEARCH_USERNAME',
    apps,
    fallback: '',
    type: userName,
    description: 'User of OpenSearch the service logs in as.',
  }),
  openSearchPasswordFile: optionalFile(
    'AOSC_OPENSEARCH_PASSWORD_FILE',
    apps,
    "File with that user's password; a line break at its end does not count.",
  ),
  openSearchAwsRegion: variable({
    name: 'AOSC_OPENSEARCH_AWS_REGION',
    apps,
    fallback: '',
    type: text(/^([a-z][a-z0-9-]{1,30}[0-9])?$/, 'region like `eu-central-1`'),
    description:
      "Signs the requests for AWS (SigV4) with credentials of AWS's standard chain ([how](how-to/opensearch-user.md#aws)).",
  }),
  openSearchAwsService: variable({
    name: 'AOSC_OPENSEARCH_AWS_SERVICE',
    apps,
    fallback: 'es',
    type: choice(['es', 'aoss']),
    description: 'What they are signed for: a domain (`es`) or a serverless collection (`aoss`).',
  }),
  openSearchPlainPassword: variable({
    name: 'AOSC_OPENSEARCH_PLAIN_PASSWORD',
    apps,
    fallback: 'on-loopback',
    type: choice(['on-loopback', 'on-any-network']),
    description:
      'To send a password over `http://` to an OpenSearch beyond loopback, this must be `on-any-network`.',
  }),
  redisUrls: variable({
    name: 'AOSC_REDIS_URL',
    apps,
    fallback: 'redis://127.0.0.1:6379',
    type: serverUrls('redis', 'rediss'),
    description:
      'The Redis that holds work in flight ([which ones](operations/redis.md)). It needs `maxmemory-policy noeviction`.',
  }),
  redisSentinels: variable({
    name: 'AOSC_REDIS_SENTINELS',
    apps,
    fallback: '',
    type: serverUrls('redis', 'rediss'),
    description:
      'Sentinels that know where the primary is ([how](operations/redis.md#sentinel)). None: `AOSC_REDIS_URL` is its address.',
  }),
  redisCluster: variable({
    name: 'AOSC_REDIS_CLUSTER',
    apps,
    fallback: 'no',
    type: choice(['no', 'yes']),
    description:
      '`AOSC_REDIS_URL` names nodes of one Redis Cluster ([how](operations/redis.md#redis-cluster)).',
  }),
  redisCa: optionalFile(
    'AOSC_REDIS_CA',
    apps,
    "Authority that signed Redis's certificate (PEM), when it is not a public one.",
  ),
  redisClientCert: optionalFile(
    'AOSC_REDIS_CLIENT_CERT',
    apps,
    'Certificate the service shows to Redis (PEM).',
  ),
  redisClientKey: optionalFile('AOSC_REDIS_CLIENT_KEY', apps, 'Private key of that certificate (PEM).'),
  apiHost: variable({
    name: 'AOSC_API_HOST',
    apps: ['api'],
    fallback: '127.0.0.1',
    type: host,
    description: 'Address the REST API listens on.',
  }),
  apiPort: variable({
    name: 'AOSC_API_PORT',
    apps: ['api'],
    fallback: '9650',
    type: port(1),
    description: 'Port the REST API listens on.',
  }),
  apiAllowUnauthenticated: variable({
    name: 'AOSC_API_ALLOW_UNAUTHENTICATED',
    apps: ['api'],
    fallback: 'on-loopback',
    type: choice(['on-loopback', 'on-any-address']),
    description: 'To listen beyond loopback without `AOSC_AUTH_FILE`, this must be `on-any-address`.',
  }),
  apiAllowedHosts: variable({
    name: 'AOSC_API_ALLOWED_HOSTS',
    apps: ['api'],
    fallback: '',
    type: hosts,
    description:
      'Names the API is asked by: a request with another `Host` is refused. Required to listen beyond loopback without `AOSC_AUTH_FILE`.',
  }),
  apiTrustedProxies: variable({
    name: 'AOSC_API_TRUSTED_PROXIES',
    apps: ['api'],
    fallback: '',
    type: networks,
    description:
      'Proxies in front of the API, whose `X-Forwarded-For` says who asks ([how](reference/access.md#behind-a-reverse-proxy)). None: an address is that of the connection.',
  }),
  apiProxyTls: variable({
    name: 'AOSC_API_PROXY_TLS',
    apps: ['api'],
    fallback: 'no',
    type: choice(['no', 'yes']),
    description:
      'Browsers reach the API by HTTPS, which a proxy in front of it ends: cookies are `Secure`, and browsers come by nothing else (HSTS).',
  }),
  authFile: optionalFile(
    'AOSC_AUTH_FILE',
    ['api'],
    'Who may call the API, and with which role ([how](how-to/secure-the-api.md)). None: everybody who reaches it.',
  ),
  sessionKeyFile: optionalFile(
    'AOSC_SESSION_KEY_FILE',
    ['api'],
    'Random text that all API processes share, so that each knows who has signed in at another. None: a text of its own.',
  ),
  hiddenIndices: variable({
    name: 'AOSC_HIDDEN_INDICES',
    apps: ['api'],
    fallback: '',
    type: namePatterns,
    description:
      'Names with a dot in front that a start may have as source, target or alias, like `.reports-*`. None: none.',
  }),
  apiRatePerSecond: variable({
    name: 'AOSC_API_RATE_PER_SECOND',
    apps: ['api'],
    fallback: '100',
    type: integer({
      min: 0,
      max: 100_000,
      tooLow: 'there is no such rate',
      tooHigh: 'it would be no limit; 0 says so',
    }),
    description:
      'Requests a second that one credential, and one address without credentials, may send for long, to all API processes together; 0: no limit.',
  }),
  apiConnectionsPerAddress: variable({
    name: 'AOSC_API_CONNECTIONS_PER_ADDRESS',
    apps: ['api'],
    fallback: '100',
    type: integer({
      min: 1,
      max: 2_000,
      tooLow: 'no client could connect',
      tooHigh: 'it would be no limit: the API holds 2000 in all',
    }),
    description: 'Connections one address may hold at once, unless it is a trusted proxy.',
  }),
  apiLimitedMigrations: variable({
    name: 'AOSC_API_LIMITED_MIGRATIONS',
    apps: ['api'],
    fallback: '8',
    type: integer({
      min: 1,
      max: 10_000,
      tooLow: 'a credential that is limited to some indices could start none',
      tooHigh: 'it would be no limit',
    }),
    description:
      'Migrations that may run at once of the indices that a credential is limited to ([how they count](reference/access.md#limits)).',
  }),
  auditLog: variable({
    name: 'AOSC_AUDIT_LOG',
    apps: ['api'],
    fallback: '',
    type: file,
    description: 'File that the audit log is added to, as JSON lines. None: stdout, whatever the log level.',
  }),
  apiTlsCert: optionalFile('AOSC_API_TLS_CERT', ['api'], 'Certificate of the API (PEM). None: plain HTTP.'),
  apiTlsKey: optionalFile('AOSC_API_TLS_KEY', ['api'], 'Private key of that certificate (PEM).'),
  logLevel: variable({
    name: 'AOSC_LOG_LEVEL',
    apps,
    fallback: 'info',
    type: choice(['error', 'warn', 'info', 'debug']),
    description: 'Least important level that is logged.',
  }),
  metricsHost: variable({
    name: 'AOSC_METRICS_HOST',
    apps: queueApps,
    fallback: '127.0.0.1',
    type: host,
    description: 'Address that `/healthz`, `/readyz` and `/metrics` of worker and scheduler listen on.',
  }),
  metricsPort: variable({
    name: 'AOSC_METRICS_PORT',
    apps: queueApps,
    fallback: '0',
    type: port(0),
    description: 'Port of `/healthz`, `/readyz` and `/metrics` of worker and scheduler; 0: none.',
  }),
  tracesUrl: variable({
    name: 'AOSC_TRACES_OTLP_URL',
    apps,
    fallback: '',
    type: optionalUrl('/v1/traces'),
    description:
      'Collector that takes traces by OTLP over HTTP, at `/v1/traces` under this URL ([how](how-to/monitor.md#traces)). None: no traces.',
  }),
  tracesSampleRatio: variable({
    name: 'AOSC_TRACES_SAMPLE_RATIO',
    apps,
    fallback: '1',
    type: ratio,
    description:
      'Share of the traces of jobs, looks and requests that are sent. The trace of a migration itself is always sent.',
  }),
  queuePrefix: variable({
    name: 'AOSC_QUEUE_PREFIX',
    apps,
    fallback: 'aosc',
    type: text(/^[a-zA-Z0-9_-]{1,64}$/, '1 to 64 letters, digits, `_` or `-`'),
    description:
      'First part of all Redis keys; the same for all processes of one service, another for each cluster.',
  }),
  requestTimeoutMs: variable({
    name: 'AOSC_REQUEST_TIMEOUT_MS',
    apps,
    fallback: '60000',
    type: integer({
      unit: 'ms',
      min: 1_000,
      max: 600_000,
      tooLow: 'an ordinary bulk under load would count as lost',
      tooHigh: 'a dead connection would hold a shard for too long',
    }),
    description: 'How long an answer of OpenSearch is waited for.',
  }),
  lostNodeWaitMs: variable({
    name: 'AOSC_LOST_NODE_WAIT_MS',
    apps,
    fallback: '120000',
    type: integer({
      unit: 'ms',
      min: 1_000,
      max: 3_600_000,
      tooLow: 'a node that comes back from a short pause could bring back documents that were deleted since',
      tooHigh: 'a shard with a bulk in doubt would stand still for too long when a node has died',
    }),
    description: 'How long a node that left the cluster with a write of ours in doubt is waited for.',
  }),
  workerBackfillConcurrency: variable({
    name: 'AOSC_WORKER_BACKFILL_CONCURRENCY',
    apps: ['worker'],
    fallback: '4',
    type: concurrency(),
    description: 'Shards of one data node that one worker backfills at once.',
  }),
  workerReplayConcurrency: variable({
    name: 'AOSC_WORKER_REPLAY_CONCURRENCY',
    apps: ['worker'],
    fallback: '4',
    type: concurrency(),
    description: 'Shards one worker replays at once.',
  }),
  workerCatchupConcurrency: variable({
    name: 'AOSC_WORKER_CATCHUP_CONCURRENCY',
    apps: ['worker'],
    fallback: '64',
    type: concurrency(),
    description: 'Shards one worker catches up at once under the write block.',
  }),
  lockDurationMs: variable({
    name: 'AOSC_LOCK_DURATION_MS',
    apps: queueApps,
    fallback: '15000',
    type: integer({
      unit: 'ms',
      min: 1_000,
      max: 600_000,
      tooLow: 'a short pause of a worker would cost it its jobs',
      tooHigh: "a dead worker's shards would stand still for too long",
    }),
    description: 'How long a job stays with a worker that does not renew it.',
  }),
  stalledCheckMs: variable({
    name: 'AOSC_STALLED_CHECK_MS',
    apps: queueApps,
    fallback: '5000',
    type: integer({
      unit: 'ms',
      min: 500,
      max: 600_000,
      tooLow: 'Redis would be asked all the time',
      tooHigh: "a dead worker's shards would stand still for too long",
    }),
    description: 'How often jobs of dead workers are looked for.',
  }),
  heartbeatMs: variable({
    name: 'AOSC_HEARTBEAT_MS',
    apps: queueApps,
    fallback: '2000',
    type: integer({
      unit: 'ms',
      min: 100,
      max: 60_000,
      tooLow: 'records would be written all the time',
      tooHigh: 'a dead worker would be noticed too late',
    }),
    description: 'How often a worker writes the record of a shard it works on.',
  }),
  reconcileIntervalMs: variable({
    name: 'AOSC_RECONCILE_INTERVAL_MS',
    apps: ['scheduler'],
    fallback: '2000',
    type: integer({
      unit: 'ms',
      min: 100,
      max: 60_000,
      tooLow: '`.aosc-migrations` would be searched all the time',
      tooHigh: 'a lost wake-up would cost too long',
    }),
    description: 'How often records are compared with jobs, and lost jobs made again.',
  }),
  snapshotKeepAliveMs: variable({
    name: 'AOSC_SNAPSHOT_KEEP_ALIVE_MS',
    apps: ['api', ...queueApps],
    fallback: '300000',
    type: integer({
      unit: 'ms',
      min: 10_000,
      max: 86_400_000,
      tooLow: 'a snapshot would expire in an ordinary pause',
      tooHigh: 'OpenSearch refuses points in time that live longer than a day',
    }),
    description: "How long a shard's snapshot outlives the worker that extends it.",
  }),
  replayIntervalMs: variable({
    name: 'AOSC_REPLAY_INTERVAL_MS',
    apps: queueApps,
    fallback: '1000',
    type: integer({
      unit: 'ms',
      min: 100,
      max: 600_000,
      tooLow: 'each round refreshes the source: it would be refreshed all the time',
      tooHigh: 'the gap between source and target would stay large',
    }),
    description: 'Least time between two replay rounds of an index.',
  }),
  convergedRestMs: variable({
    name: 'AOSC_CONVERGED_REST_MS',
    apps: queueApps,
    fallback: '10000',
    type: integer({
      unit: 'ms',
      min: 100,
      max: 15_000,
      tooLow: 'each look would cost as much as a round',
      tooHigh: 'a shard that moved would be noticed too late',
    }),
    description:
      'Longest rest of a converged shard between two looks. It is replayed when it has fallen behind, not at each look.',
  }),
  writeBlockMaxMs: variable({
    name: 'AOSC_WRITE_BLOCK_MAX_MS',
    apps: ['scheduler'],
    fallback: '60000',
    type: integer({
      unit: 'ms',
      min: 1_000,
      max: 3_600_000,
      tooLow: 'hardly any cutover would end in time',
      tooHigh: 'applications would be kept from writing for too long',
    }),
    description:
      'The longest time that a write block lasts. After it the block is lifted, and the migration fails.',
  }),
  guardMs: variable({
    name: 'AOSC_GUARD_MS',
    apps: ['api', 'scheduler'],
    fallback: '180000',
    type: integer({
      unit: 'ms',
      min: 1_000,
      max: 3_600_000,
      tooLow: 'a write block that lands late would stay',
      tooHigh: 'the scheduler would guard ended migrations for too long',
    }),
    description: 'How long leftovers of an ended migration (a late write block, a fence) are looked for.',
  }),
} as const;
export type Variables = typeof variables;

/** Variables of the command line and of the local tooling: the processes know them and ignore them. */
export const toolingVariables: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'AOSC_CONFIG',
    description: "Configuration file of the command line; default: one in the user's folder.",
  },
  { name: 'AOSC_CONTEXT', description: 'Context of that file that the command line uses.' },
  { name: 'AOSC_API_URL', description: 'Address of the API that the command line asks.' },
  { name: 'AOSC_API_KEY', description: 'API key that it sends there.' },
  { name: 'AOSC_API_USERNAME', description: 'User that it logs in as there.' },
  { name: 'AOSC_API_PASSWORD', description: 'Password of that user.' },
  {
    name: 'AOSC_API_CA',
    description: 'Authority that signed the certificate of the API (PEM), when it is not a public one.',
  },
  {
    name: 'AOSC_API_PLAIN_CREDENTIALS',
    description:
      'To send them over `http://` beyond loopback, this must be `on-any-network`; default: `on-loopback`.',
  },
  {
    name: 'AOSC_CACHE_DIR',
    description: 'Folder for the downloaded OpenSearch; default: a folder of the user.',
  },
  {
    name: 'AOSC_OPENSEARCH_HOME',
    description:
      'Folder of an unpacked OpenSearch, 2.9 or later, for local nodes; default: it is downloaded.',
  },
  { name: 'AOSC_JAVA_HOME', description: 'JDK that local OpenSearch nodes run on; default: searched for.' },
  {
    name: 'AOSC_REDIS_SERVER',
    description: 'Path of a redis-server or valkey-server for a local Redis; default: searched for.',
  },
  {
    name: 'AOSC_OPENSEARCH_VERSION',
    description: 'Version of the local OpenSearch nodes, 2.x.y or 3.x.y; default: the newest one tried.',
  },
  {
    name: 'AOSC_HELM',
    description: 'Path of helm, which the tests of the chart use; default: searched for on PATH.',
  },
  {
    name: 'AOSC_KUBECONFORM',
    description: 'Path of kubeconform, which those tests use; default: searched for on PATH.',
  },
  {
    name: 'AOSC_KUBE_SCHEMAS',
    description: "Folder of Kubernetes' JSON schemas for kubeconform; default: none, and it is not run.",
  },
];
