import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, parseEnv } from './parse-env';
import { readApiTls, readOpenSearchAccess, readRedisAccess } from './tls-files';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'aosc-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}
const pem = (what: string) => `-----BEGIN ${what}-----\n${what}\n`;

test('nothing set: nothing read', () => {
  expect(readOpenSearchAccess(parseEnv({}, 'worker'))).toEqual({});
  expect(readApiTls(parseEnv({}, 'api'))).toBeUndefined();
});

test('every app reads what OpenSearch is reached with', () => {
  const env = {
    AOSC_OPENSEARCH_CA: write('ca', pem('A')),
    AOSC_OPENSEARCH_CLIENT_CERT: write('cert', pem('B')),
    AOSC_OPENSEARCH_CLIENT_KEY: write('key', pem('C')),
    AOSC_OPENSEARCH_USERNAME: 'service',
    AOSC_OPENSEARCH_PASSWORD_FILE: write('password', ' s3cret \r\n'),
  };
  for (const app of ['api', 'worker', 'scheduler'] as const) {
    expect(readOpenSearchAccess(parseEnv(env, app))).toEqual({
      ca: pem('A'),
      clientCertificate: { cert: pem('B'), key: pem('C') },
      credentials: { username: 'service', password: ' s3cret ' },
    });
  }
});

test('signing for AWS goes along with the authority', () => {
  const env = {
    AOSC_OPENSEARCH_URL: 'https://a.example.org',
    AOSC_OPENSEARCH_CA: write('ca', pem('A')),
    AOSC_OPENSEARCH_AWS_REGION: 'us-east-1',
  };
  const aws = { region: 'us-east-1', service: 'es' };
  expect(readOpenSearchAccess(parseEnv(env, 'worker'))).toEqual({ ca: pem('A'), aws });
});

test('every app reads what Redis is reached with', () => {
  const env = {
    AOSC_REDIS_URL: 'rediss://cache.example.org',
    AOSC_REDIS_CA: write('ca', pem('A')),
    AOSC_REDIS_CLIENT_CERT: write('cert', pem('B')),
    AOSC_REDIS_CLIENT_KEY: write('key', pem('C')),
  };
  for (const app of ['api', 'worker', 'scheduler'] as const) {
    expect(readRedisAccess(parseEnv(env, app))).toEqual({
      redisUrl: 'rediss://cache.example.org',
      redisTls: { ca: pem('A'), cert: pem('B'), key: pem('C') },
    });
  }
  expect(readRedisAccess(parseEnv({}, 'api'))).toEqual({ redisUrl: 'redis://127.0.0.1:6379', redisTls: {} });
});

test('sentinels know where the primary of a name is', () => {
  const sentinels = ['redis://s1', 'redis://s2:26380'];
  const env = { AOSC_REDIS_URL: 'redis://:s3cret@orders/2', AOSC_REDIS_SENTINELS: sentinels.join(', ') };
  expect(readRedisAccess(parseEnv(env, 'worker'))).toEqual({
    redisUrl: 'redis://:s3cret@orders/2',
    redisTls: {},
    redisSentinels: sentinels,
  });
});

test('of a Redis Cluster, any nodes are named', () => {
  const nodes = ['rediss://u:s3,cret@a:7000', 'rediss://u:s3,cret@b:7000'];
  const env = { AOSC_REDIS_URL: nodes.join(','), AOSC_REDIS_CLUSTER: 'yes' };
  expect(readRedisAccess(parseEnv(env, 'scheduler'))).toEqual({
    redisUrl: nodes[0],
    redisTls: {},
    redisCluster: nodes,
  });
});

test('the certificate of the API', () => {
  const env = { AOSC_API_TLS_CERT: write('cert', pem('B')), AOSC_API_TLS_KEY: write('key', pem('C')) };
  expect(readApiTls(parseEnv(env, 'api'))).toEqual({ cert: pem('B'), key: pem('C') });
});

test.each([
  ['a folder', () => folder, "can't be read"],
  ['too large a file', () => write('large', 'x'.repeat(1024 * 1024 + 1)), 'larger than 1 MiB'],
  ['no PEM', () => write('none', 's3cret'), 'is not PEM'],
])('%s is refused, and its content is not shown', (_what, path, phrase) => {
  const config = parseEnv({ AOSC_OPENSEARCH_CA: path() }, 'worker');
  expect(() => readOpenSearchAccess(config)).toThrow(ConfigError);
  expect(() => readOpenSearchAccess(config)).toThrow(phrase);
  expect(() => readOpenSearchAccess(config)).not.toThrow('s3cret');
});

test.each([
  ['AOSC_OPENSEARCH_CLIENT_KEY', 'AOSC_OPENSEARCH_CLIENT_CERT', readOpenSearchAccess],
  ['AOSC_OPENSEARCH_PASSWORD_FILE', 'AOSC_OPENSEARCH_USERNAME', readOpenSearchAccess],
  ['AOSC_REDIS_CLIENT_KEY', 'AOSC_REDIS_CLIENT_CERT', readRedisAccess],
  ['AOSC_API_TLS_KEY', 'AOSC_API_TLS_CERT', readApiTls],
] as const)('%s may be read by a group, and not by everybody', (name, other, read) => {
  const path = write('secret', pem('S'));
  const env = {
    AOSC_REDIS_URL: 'rediss://h',
    [name]: path,
    [other]: other.endsWith('USERNAME') ? 'service' : write('other', pem('O')),
  };
  const config = parseEnv(env, 'api');
  chmodSync(path, 0o640);
  read(config);
  chmodSync(path, 0o604);
  expect(() => read(config)).toThrow(`${name}: every user of this machine can read the file ${path}`);
});
