import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@aosc/config';
import { RefusedError } from './refused-error';
import { prepareAccess, readSurroundings, withoutCredentials } from './surroundings';

const none = { openSearch: undefined, redis: undefined };

test('nothing given: servers of its own, and keys of its own in Redis', () => {
  const { openSearch, redis, queuePrefix, config } = readSurroundings(none, {});
  expect([openSearch, redis]).toEqual([undefined, undefined]);
  expect(queuePrefix).toMatch(/^aosc-demo-[0-9a-f]{8}$/);
  expect(config.queuePrefix).toBe(queuePrefix);
  expect(readSurroundings(none, {}).queuePrefix).not.toBe(queuePrefix);
});

test('a flag goes before its variable, each by itself', () => {
  const env = { AOSC_OPENSEARCH_URL: 'http://a:1', AOSC_REDIS_URL: 'redis://a:2' };
  expect(readSurroundings(none, env)).toMatchObject({ openSearch: 'http://a:1', redis: 'redis://a:2' });
  const flags = { openSearch: 'https://b', redis: undefined };
  expect(readSurroundings(flags, env)).toMatchObject({ openSearch: 'https://b', redis: 'redis://a:2' });
});

test('the prefix begins with that of the installation, and is never too long', () => {
  const prefixOf = (given: string) => readSurroundings(none, { AOSC_QUEUE_PREFIX: given }).queuePrefix;
  expect(prefixOf('search')).toMatch(/^search-demo-/);
  expect(prefixOf('x'.repeat(64)).length).toBeLessThanOrEqual(64);
});

test.each([
  { openSearch: 'ftp://ann:s3cret@a', redis: undefined },
  { openSearch: 'http://ann:s3cret@search.example:9200', redis: undefined },
  { openSearch: undefined, redis: 'http://ann:s3cret@a' },
])('%j is refused, and no password is shown', (flags) => {
  expect(() => readSurroundings(flags, {})).toThrow(ConfigError);
  expect(() => readSurroundings(flags, {})).toThrow(/^(?!.*s3cret)/s);
});

test('user and password of variables get into the addresses of writers and comparison', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aosc-demo-'));
  const file = join(folder, 'password');
  writeFileSync(file, 'p/w', { mode: 0o600 });
  const env = {
    AOSC_OPENSEARCH_URL: 'https://a',
    AOSC_OPENSEARCH_USERNAME: 'a/b',
    AOSC_OPENSEARCH_PASSWORD_FILE: file,
  };
  const [url = ''] = prepareAccess(readSurroundings(none, env), ['https://a']);
  expect(decodeURIComponent(new URL(url).username)).toBe('a/b');
  expect(decodeURIComponent(new URL(url).password)).toBe('p/w');
  rmSync(folder, { recursive: true });
});

test('a cluster that takes only signed requests is refused', () => {
  const env = { AOSC_OPENSEARCH_URL: 'https://a', AOSC_OPENSEARCH_AWS_REGION: 'eu-central-1' };
  expect(() => prepareAccess(readSurroundings(none, env), ['https://a'])).toThrow(RefusedError);
});

test('addresses are shown without users and passwords', () => {
  expect(withoutCredentials('https://ann:s3cret@a:9200/path, http://b:1')).toBe(
    'https://a:9200/path http://b:1',
  );
  expect(withoutCredentials('rediss://:p%40ss@r:6380/2')).toBe('rediss://r:6380/2');
  expect(withoutCredentials('redis://mymaster')).toBe('redis://mymaster');
});
