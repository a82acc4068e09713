import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../failure';
import { chooseTarget } from './choose-target';
import { configPath, parseConfig, readConfigFile } from './config-file';

const file = parseConfig(
  JSON.stringify({
    current_context: 'test',
    contexts: {
      test: { url: 'http://test:1' },
      prod: { url: 'https://prod:2', api_key: 'prod-key', ca_file: '/ca.pem' },
      user: { url: 'https://user:3', username: 'u', password: 'p', allow_plain_credentials: true },
    },
  }),
  'the-file',
);
const choose = (choice: Parameters<typeof chooseTarget>[0], env: Record<string, string> = {}, of = file) =>
  chooseTarget(choice, env, of, 'the-file');

describe('which API', () => {
  const env = { AOSC_API_URL: 'http://env:4', AOSC_CONTEXT: 'user', AOSC_API_KEY: 'env-key' };

  test('in this order: --url, --context, AOSC_API_URL, AOSC_CONTEXT, current_context, this machine', () => {
    expect(choose({ url: 'http://flag:5' }, env).url).toBe('http://flag:5');
    expect(choose({ context: 'prod' }, env).url).toBe('https://prod:2');
    expect(choose({}, env).url).toBe('http://env:4');
    expect(choose({}, { ...env, AOSC_API_URL: ' ' }).url).toBe('https://user:3');
    expect(choose({}).url).toBe('http://test:1');
    expect(chooseTarget({}, {}, undefined, 'the-file').url).toBe('http://127.0.0.1:9650');
  });

  test('credentials of one installation are never sent to another', () => {
    expect(choose({ url: 'http://flag:5' }).credentials).toBeUndefined();
    expect(choose({ url: 'http://flag:5' }, env).credentials).toEqual({ apiKey: 'env-key' });
    expect(choose({ context: 'test' }, env).credentials).toBeUndefined();
    expect(choose({ context: 'prod' }, env)).toEqual({
      url: 'https://prod:2',
      credentials: { apiKey: 'prod-key' },
      caFile: '/ca.pem',
      allowPlainCredentials: false,
      context: 'prod',
    });
    expect(choose({ context: 'user' }).credentials).toEqual({ username: 'u', password: 'p' });
  });

  test.each<[string, () => unknown]>([
    ['both', () => choose({ url: 'http://a', context: 'prod' })],
    ['an unknown context', () => choose({ context: 'constructor' })],
    ['a context without a file', () => chooseTarget({ context: 'prod' }, {}, undefined, 'the-file')],
    ['half a user', () => choose({ url: 'http://a' }, { AOSC_API_USERNAME: 'u' })],
    [
      'two kinds',
      () => choose({ url: 'http://a' }, { ...env, AOSC_API_USERNAME: 'u', AOSC_API_PASSWORD: 'p' }),
    ],
    ['another word', () => choose({ url: 'http://a' }, { AOSC_API_PLAIN_CREDENTIALS: 'yes' })],
  ])('refuses %s', (_, act) => expect(act).toThrow(UsageError));

  test('an unknown context is told with the known ones', () => {
    expect(() => choose({ context: 'x' })).toThrow('the-file has no context [x]; it has: prod, test, user');
  });
});

describe('the file', () => {
  test.each([
    ['no JSON', '{"contexts": "secret-one'],
    ['no contexts', '{}'],
    ['an unknown field', '{"contexts":{"a":{"url":"u","token":"secret-one"}}}'],
    ['a url of another type', '{"contexts":{"a":{"url":{"x":"secret-one"}}}}'],
    ['half a user', '{"contexts":{"a":{"url":"u","password":"secret-one"}}}'],
    [
      'two kinds of credentials',
      '{"contexts":{"a":{"url":"u","api_key":"k","username":"u","password":"secret-one"}}}',
    ],
  ])('with %s is refused, and not quoted', (_, text) => {
    let message = '';
    try {
      parseConfig(text, 'the-file');
    } catch (error) {
      if (error instanceof UsageError) message = error.message;
    }
    expect(message).toContain('the-file');
    expect(message).not.toContain('secret-one');
  });

  test('is where the user has put it', () => {
    expect(configPath({ AOSC_CONFIG: '/x/y.json' }, '/home/u')).toBe('/x/y.json');
    expect(configPath({ XDG_CONFIG_HOME: '/xdg' }, '/home/u')).toBe('/xdg/aosc/config.json');
    expect(configPath({}, '/home/u')).toBe('/home/u/.config/aosc/config.json');
  });

  describe('on disk', () => {
    const folder = mkdtempSync(join(tmpdir(), 'aosc-config-'));
    const path = join(folder, 'config.json');
    afterAll(() => rmSync(folder, { recursive: true }));

    test('for its user alone is read', () => {
      writeFileSync(path, '{"contexts":{"a":{"url":"u"}}}', { mode: 0o600 });
      expect(readConfigFile(path)?.contexts).toEqual({ a: { url: 'u' } });
      chmodSync(path, 0o400);
      expect(readConfigFile(path)).toBeDefined();
    });

    test.each([0o640, 0o604, 0o620, 0o601, 0o644, 0o666])('with mode %o is not', (mode) => {
      chmodSync(path, mode);
      expect(() => readConfigFile(path)).toThrow(`chmod 600 ${path}`);
    });

    test('may be missing', () => expect(readConfigFile(join(folder, 'none.json'))).toBeUndefined());

    test('is no folder', () => expect(() => readConfigFile(folder)).toThrow(UsageError));
  });
});
