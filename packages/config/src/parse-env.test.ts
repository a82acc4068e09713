import { ConfigError, findDefaultServers, parseEnv } from './parse-env';

function problemsOf(source: Record<string, string>, app: 'api' | 'worker' | 'scheduler'): readonly string[] {
  try {
    parseEnv(source, app);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('an empty environment gives the defaults of each app, frozen', () => {
  const api = parseEnv({}, 'api');
  expect(api).toEqual({
    openSearchUrls: ['http://127.0.0.1:9200'],
    openSearchCa: '',
    openSearchClientCert: '',
    openSearchClientKey: '',
    openSearchUsername: '',
    openSearchPasswordFile: '',
    openSearchAwsRegion: '',
    openSearchAwsService: 'es',
    redisCa: '',
    redisClientCert: '',
    redisClientKey: '',
    authFile: '',
    hiddenIndices: [],
    apiRatePerSecond: 100,
    apiAllowedHosts: [],
    apiConnectionsPerAddress: 100,
    apiLimitedMigrations: 8,
    auditLog: '',
    openSearchPlainPassword: 'on-loopback',
    apiTlsCert: '',
    apiTlsKey: '',
    redisUrls: ['redis://127.0.0.1:6379'],
    redisSentinels: [],
    redisCluster: 'no',
    apiHost: '127.0.0.1',
    apiPort: 9650,
    apiTrustedProxies: [],
    apiProxyTls: 'no',
    apiAllowUnauthenticated: 'on-loopback',
    logLevel: 'info',
    tracesUrl: '',
    tracesSampleRatio: 1,
    queuePrefix: 'aosc',
    requestTimeoutMs: 60_000,
    sessionKeyFile: '',
    snapshotKeepAliveMs: 300_000,
    guardMs: 180_000,
    lostNodeWaitMs: 120_000,
  });
  expect(Object.isFrozen(api)).toBe(true);
  expect(Object.isFrozen(api.openSearchUrls)).toBe(true);
  expect(parseEnv({}, 'worker')).toMatchObject({ metricsPort: 0, workerCatchupConcurrency: 64 });
  expect(parseEnv({}, 'scheduler')).toMatchObject({ writeBlockMaxMs: 60_000, guardMs: 180_000 });
});

test('several URLs are separated by commas, blanks around them do not count', () => {
  const { openSearchUrls } = parseEnv({ AOSC_OPENSEARCH_URL: 'http://a:9200, https://b:9200/' }, 'worker');
  expect(openSearchUrls).toEqual(['http://a:9200', 'https://b:9200/']);
});

test('empty text counts as not set', () => {
  expect(parseEnv({ AOSC_API_PORT: ' ' }, 'api').apiPort).toBe(9650);
});

test('all problems are reported in one error', () => {
  const problems = problemsOf(
    {
      AOSC_API_PORT: 'abc',
      AOSC_LOG_LEVEL: 'loud',
      AOSC_REQUEST_TIMEOUT_MS: '5',
      AOSC_REDIS_URL: 'localhost',
    },
    'api',
  );
  expect(problems).toHaveLength(4);
  expect(problems.join('\n')).toContain('AOSC_API_PORT is "abc", but must be: whole number, 1 to 65535');
  expect(problems.join('\n')).toContain('Lower, an ordinary bulk under load would count as lost');
});

test('an unknown AOSC_ name is refused with the nearest known one; other names are not ours', () => {
  expect(problemsOf({ AOSC_API_PROT: '1', PATH: '/bin' }, 'api')).toEqual([
    'AOSC_API_PROT is not known: what it was meant to set would keep its default without a word. Did you mean AOSC_API_PORT?',
  ]);
});

test('variables of other apps and of the tooling are known and ignored', () => {
  const shared = { AOSC_API_PORT: 'abc', AOSC_CACHE_DIR: '/cache', AOSC_JAVA_HOME: '/jdk' };
  expect(problemsOf(shared, 'worker')).toEqual([]);
});

test.each(['0.0.0.0', '::', '10.1.2.3', 'api.example.org'])(
  'listening on %s needs the explicit word',
  (host) => {
    expect(problemsOf({ AOSC_API_HOST: host }, 'api')).toEqual([
      expect.stringContaining('AOSC_API_ALLOW_UNAUTHENTICATED=on-any-address'),
    ]);
    const allowed = { AOSC_API_HOST: host, AOSC_API_ALLOW_UNAUTHENTICATED: 'on-any-address' };
    expect(problemsOf(allowed, 'api')).toEqual([
      expect.stringContaining('AOSC_API_ALLOWED_HOSTS is not set'),
    ]);
    const named = { ...allowed, AOSC_API_ALLOWED_HOSTS: 'aosc.internal, 10.0.0.5' };
    expect(parseEnv(named, 'api').apiAllowedHosts).toEqual(['aosc.internal', '10.0.0.5']);
    expect(parseEnv(named, 'api').apiHost).toBe(host);
    const almost = { AOSC_API_HOST: host, AOSC_API_ALLOW_UNAUTHENTICATED: 'true' };
    expect(problemsOf(almost, 'api')).not.toEqual([]);
  },
);

test.each([
  [{ AOSC_OPENSEARCH_URL: 'http://ann:s3cret@search.example:9200' }],
  [
    {
      AOSC_OPENSEARCH_URL: 'https://a.example,http://b.example',
      AOSC_OPENSEARCH_USERNAME: 'ann',
      AOSC_OPENSEARCH_PASSWORD_FILE: 'f',
    },
  ],
])('a password that would cross a network in the clear needs the explicit word: %j', (env) => {
  for (const app of ['api', 'worker', 'scheduler'] as const) {
    const problems = problemsOf(env, app);
    expect(problems).toEqual([expect.stringContaining('AOSC_OPENSEARCH_PLAIN_PASSWORD=on-any-network')]);
    expect(problems.join()).not.toContain('s3cret');
    expect(problemsOf({ ...env, AOSC_OPENSEARCH_PLAIN_PASSWORD: 'on-any-network' }, app)).toEqual([]);
  }
});

test.each([
  'http://ann:s3cret@127.0.0.1:9200',
  'http://ann:s3cret@[::1]:9200',
  'https://ann:s3cret@b',
  'http://b',
])('%s needs no such word', (url) => {
  expect(problemsOf({ AOSC_OPENSEARCH_URL: url }, 'worker')).toEqual([]);
});

test.each(['10.0.0.0/8', '192.0.2.1, 2001:db8::/32', '::1'])('%s can be trusted proxies', (text) => {
  expect(problemsOf({ AOSC_API_TRUSTED_PROXIES: text }, 'api')).toEqual([]);
});

test.each(['0.0.0.0/0', '10.0.0.0/33', '10.0.0.0/', 'proxy.internal', '10.0.0.0/8/8', '10.0.0.0/8,', '*'])(
  '%s can not be trusted proxies',
  (text) => {
    expect(problemsOf({ AOSC_API_TRUSTED_PROXIES: text }, 'api')).toEqual([
      expect.stringContaining('AOSC_API_TRUSTED_PROXIES'),
    ]);
  },
);

test('with a credentials file, the API may listen beyond loopback', () => {
  const config = parseEnv({ AOSC_API_HOST: '0.0.0.0', AOSC_AUTH_FILE: 'auth.json' }, 'api');
  expect(config).toMatchObject({ apiHost: '0.0.0.0', authFile: 'auth.json' });
});

test.each([
  ['AOSC_API_TLS_CERT', 'AOSC_API_TLS_KEY'],
  ['AOSC_OPENSEARCH_CLIENT_CERT', 'AOSC_OPENSEARCH_CLIENT_KEY'],
  ['AOSC_OPENSEARCH_USERNAME', 'AOSC_OPENSEARCH_PASSWORD_FILE'],
  ['AOSC_REDIS_CLIENT_CERT', 'AOSC_REDIS_CLIENT_KEY'],
])('%s and %s are set both or not at all', (one, other) => {
  const alone = (given: string, missing: string) => [
    `${given} is set and ${missing} is not: set both or none`,
  ];
  const withTls = (env: Record<string, string>) =>
    problemsOf({ AOSC_REDIS_URL: 'rediss://h', ...env }, 'api');
  expect(withTls({ [one]: 'x' })).toEqual(alone(one, other));
  expect(withTls({ [other]: 'x' })).toEqual(alone(other, one));
  expect(withTls({ [one]: 'x', [other]: 'y' })).toEqual([]);
});

const signed = { AOSC_OPENSEARCH_AWS_REGION: 'eu-central-1', AOSC_OPENSEARCH_URL: 'https://a.example.org' };

test('requests are signed for a domain unless a variable says otherwise', () => {
  const config = parseEnv(signed, 'worker');
  expect(config).toMatchObject({ openSearchAwsRegion: 'eu-central-1', openSearchAwsService: 'es' });
  expect(problemsOf({ ...signed, AOSC_OPENSEARCH_AWS_SERVICE: 'aoss' }, 'worker')).toEqual([]);
});

test.each([
  [
    { ...signed, AOSC_OPENSEARCH_USERNAME: 'u', AOSC_OPENSEARCH_PASSWORD_FILE: 'f' },
    'AOSC_OPENSEARCH_USERNAME are both',
  ],
  [{ ...signed, AOSC_OPENSEARCH_URL: 'https://u:s3cret@a.example.org' }, 'AOSC_OPENSEARCH_URL holds a user'],
  [{ ...signed, AOSC_OPENSEARCH_URL: 'https://a.example.org,http://b.example.org' }, 'needs https:// in'],
  [{ AOSC_OPENSEARCH_AWS_SERVICE: 'aoss' }, 'AOSC_OPENSEARCH_AWS_REGION is not'],
  [{ ...signed, AOSC_OPENSEARCH_AWS_REGION: 'Frankfurt' }, 'but must be: region like'],
  [{ AOSC_REDIS_CA: 'ca.pem' }, 'AOSC_REDIS_CA is set, but AOSC_REDIS_URL does not begin with rediss://'],
  [{ AOSC_REDIS_URL: 'redis://a,redis://b' }, 'set AOSC_REDIS_CLUSTER=yes when they are nodes of one'],
  [{ AOSC_REDIS_URL: 'redis://a,b' }, 'but must be: URL (`redis://` or `rediss://`)'],
  [{ AOSC_REDIS_CLUSTER: 'true' }, 'AOSC_REDIS_CLUSTER is "true", but must be: `no` or `yes`'],
  [{ AOSC_REDIS_CLUSTER: 'yes', AOSC_REDIS_URL: 'redis://:s3cret@a/1' }, 'has only database 0'],
  [
    { AOSC_REDIS_CLUSTER: 'yes', AOSC_REDIS_URL: 'redis://:s3cret@a,redis://:other@b' },
    'differ in scheme or credentials',
  ],
  [
    { AOSC_REDIS_CLUSTER: 'yes', AOSC_REDIS_URL: 'redis://orders', AOSC_REDIS_SENTINELS: 'redis://s1' },
    'set one of the two',
  ],
  [{ AOSC_REDIS_SENTINELS: 'redis://s1' }, 'like redis://mymaster'],
  [{ AOSC_REDIS_SENTINELS: 's1:26379' }, 'but must be: URL (`redis://` or `rediss://`)'],
  [
    { AOSC_REDIS_URL: 'redis://orders', AOSC_REDIS_SENTINELS: 'redis://s1,rediss://s2' },
    'the URLs of AOSC_REDIS_SENTINELS differ in scheme',
  ],
  [{ AOSC_REDIS_URL: 'redis://orders', AOSC_REDIS_SENTINELS: 'redis://s1/1' }, 'sentinels have none'],
])('%j is refused', (source, phrase) => {
  const problems = problemsOf(source, 'scheduler');
  expect(problems).toEqual([expect.stringContaining(phrase)]);
  expect(problems.join()).not.toContain('s3cret');
});

test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])('%s is loopback', (host) => {
  expect(parseEnv({ AOSC_API_HOST: host }, 'api').apiHost).toBe(host);
});

test.each([
  [{ AOSC_HEARTBEAT_MS: '8000' }, 'worker', 'AOSC_LOCK_DURATION_MS (15000) must be at least 2 times'],
  [
    { AOSC_STALLED_CHECK_MS: '20000' },
    'worker',
    'AOSC_LOCK_DURATION_MS (15000) must be at least AOSC_STALLED',
  ],
  [{ AOSC_SNAPSHOT_KEEP_ALIVE_MS: '10000' }, 'worker', 'AOSC_SNAPSHOT_KEEP_ALIVE_MS (10000)'],
  [{ AOSC_RECONCILE_INTERVAL_MS: '40000' }, 'scheduler', 'AOSC_WRITE_BLOCK_MAX_MS (60000)'],
  [{ AOSC_GUARD_MS: '30000' }, 'scheduler', 'AOSC_GUARD_MS (30000) must be at least AOSC_REQUEST_TIMEOUT_MS'],
] as const)('%j contradicts another value of the %s', (source, app, phrase) => {
  const problems = problemsOf(source, app);
  expect(problems).toEqual([expect.stringContaining(phrase)]);
  expect(problems[0]).toContain('otherwise');
});

test.each([
  { AOSC_OPENSEARCH_URL: 'ftp://admin:s3cr@t@host:9200' },
  { AOSC_OPENSEARCH_URL: 'admin:s3cr' },
  { AOSC_OPENSEARCH_USERNAME: 'svc:s3cr' },
  { AOSC_OPENSEARCH_USERNAME: 'svc s3cr' },
  { AOSC_REDIS_URL: 'default:s3cr' },
  { AOSC_REDIS_URL: 'redis://default:s3cr' },
  { AOSC_REDIS_SENTINELS: 's3cr' },
  { AOSC_TRACES_OTLP_URL: 'https://c.example/otlp?api-key=s3cr' },
  { AOSC_API_ALLOWED_HOSTS: 'https://ann:s3cr@api.example' },
])('the text of a refused variable that may hold a secret is not repeated: %j', (source) => {
  const [problem, ...others] = problemsOf(source, 'api');
  expect(problem).toMatch(/ is set \(its text may hold a secret\), but must be: /);
  expect(problem).not.toContain('s3cr');
  expect(others).toEqual([]);
});

test('of several URLs, a number shows which is refused', () => {
  expect(problemsOf({ AOSC_REDIS_URL: 'redis://:a@b, redis://u:a,s3cr@a:99999' }, 'api')).toEqual([
    expect.stringMatching(/separated by commas\. Number 2 is not$/),
  ]);
});

test.each([
  ['http://collector:4318', 'http://collector:4318'],
  ['https://traces.example.org/otlp/', 'https://traces.example.org/otlp'],
])('traces go to %s', (given, url) => {
  for (const app of ['api', 'worker', 'scheduler'] as const) {
    const { tracesUrl, tracesSampleRatio } = parseEnv(
      { AOSC_TRACES_OTLP_URL: given, AOSC_TRACES_SAMPLE_RATIO: '0.25' },
      app,
    );
    expect({ tracesUrl, tracesSampleRatio }).toEqual({ tracesUrl: url, tracesSampleRatio: 0.25 });
  }
});

test.each([
  'collector:4318',
  'grpc://c:4317',
  'http://ann:s3cret@c:4318',
  'http://c/v1/traces',
  'http://c?key=x',
])('the URL of traces can not be %s', (url) => {
  const [problem = '', ...others] = problemsOf({ AOSC_TRACES_OTLP_URL: url }, 'worker');
  expect(problem).toContain('AOSC_TRACES_OTLP_URL is');
  expect(problem).not.toContain('s3cret');
  expect(others).toEqual([]);
});

test.each(['-1', '1.1', '2', 'all', '1e-3', '0x1'])('a share of traces can not be %s', (ratio) => {
  expect(problemsOf({ AOSC_TRACES_SAMPLE_RATIO: ratio }, 'worker')).toEqual([
    expect.stringContaining('must be: number, 0 to 1'),
  ]);
});

test('servers that no variable names are distinguished', () => {
  expect(findDefaultServers({ AOSC_OPENSEARCH_URL: ' ', AOSC_REDIS_URL: 'redis://r' })).toEqual([
    { name: 'AOSC_OPENSEARCH_URL', url: 'http://127.0.0.1:9200' },
  ]);
});
