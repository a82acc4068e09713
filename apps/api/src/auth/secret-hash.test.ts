import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseKeyHash, parseScryptHash, sha256, verifyPassword } from './secret-hash';

const script = join(__dirname, '../../../../scripts/hash-credential.mjs');
const runScript = (input: string, ...args: readonly string[]) =>
  execFileSync(process.execPath, [script, ...args], { input, encoding: 'utf8', stdio: 'pipe' }).trim();

test('a hash that the script made is that of its password alone', async () => {
  const parsed = parseScryptHash(runScript('correct horse\n', 'password'));
  if (parsed === undefined) throw new Error('the hash is not read');
  expect(await verifyPassword('correct horse', parsed)).toBe(true);
  expect(await verifyPassword('correct horse\n', parsed)).toBe(false);
});

test('a hash of a key that the script made', () => {
  const key = 'k'.repeat(32);
  expect(parseKeyHash(runScript(key, 'api-key'))).toEqual(sha256(key));
});

test.each([
  ['short', 'password'],
  ['k'.repeat(31), 'api-key'],
  ['long enough, but no kind of secret', 'pin'],
])('the script refuses %j as %s', (secret, kind) => {
  expect(() => runScript(secret, kind)).toThrow();
});

const salt = Buffer.alloc(16, 1).toString('base64');
const hash = Buffer.alloc(32, 2).toString('base64');

test('the text form', () => {
  expect(parseScryptHash(`scrypt$16384$8$1$${salt}$${hash}`)).toEqual({
    cost: 16384,
    blockSize: 8,
    parallelization: 1,
    salt: Buffer.alloc(16, 1),
    hash: Buffer.alloc(32, 2),
  });
});

test.each([
  ['a password', 'secret'],
  ['another scheme', `bcrypt$16384$8$1$${salt}$${hash}`],
  ['too low a cost', `scrypt$8192$8$1$${salt}$${hash}`],
  ['no power of two', `scrypt$20000$8$1$${salt}$${hash}`],
  ['too much memory', `scrypt$1048576$8$1$${salt}$${hash}`],
  ['too many rounds', `scrypt$16384$8$17$${salt}$${hash}`],
  ['small blocks', `scrypt$16384$1$1$${salt}$${hash}`],
  ['short salt', `scrypt$16384$8$1$AAAA$${hash}`],
  ['short hash', `scrypt$16384$8$1$${salt}$AAAA`],
  ['something behind', `scrypt$16384$8$1$${salt}$${hash}$x`],
  ['no number', `scrypt$0x4000$8$1$${salt}$${hash}`],
])('%s is no hash', (_what, text) => {
  expect(parseScryptHash(text)).toBeUndefined();
});

test.each(['', 'sha256$', `sha256$${'A'.repeat(64)}`, `sha256$${'a'.repeat(63)}`, 'a'.repeat(64)])(
  '%j is no hash of a key',
  (text) => expect(parseKeyHash(text)).toBeUndefined(),
);
