// Prints the hash of a secret for the file that AOSC_AUTH_FILE names. The secret comes from stdin, so that it is
// neither in the shell's history nor in the list of processes. With `api-key --new`, a key is made and told on stderr.
import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

const usage = `usage: node scripts/hash-credential.mjs password   < file with the password
       node scripts/hash-credential.mjs api-key    < file with the key, at least 32 characters
       node scripts/hash-credential.mjs api-key --new   (makes a key: it goes to stderr, its hash to stdout)`;

/** 32 MiB and about a tenth of a second each. */
const [cost, blockSize, parallelization] = [2 ** 15, 8, 3];
const minPassword = 8;
const minKey = 32;

function main([kind, flag]) {
  if (kind === 'api-key' && flag === '--new') {
    const key = randomBytes(32).toString('base64url');
    console.error(key);
    return hashKey(key);
  }
  if (flag !== undefined || !['password', 'api-key'].includes(kind)) throw new Error(usage);
  const secret = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
  if (kind === 'password') {
    if (secret.length < minPassword)
      throw new Error(`a password must have at least ${minPassword} characters`);
    return hashPassword(secret);
  }
  if (secret.length < minKey || /\s/.test(secret)) {
    throw new Error(
      `an API key must have at least ${minKey} random characters without blanks: its hash is a fast one. ` +
        '`api-key --new` makes one',
    );
  }
  return hashKey(secret);
}

function hashKey(key) {
  return `sha256$${createHash('sha256').update(key).digest('hex')}`;
}

function hashPassword(password) {
  const salt = randomBytes(16);
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  const hash = scryptSync(password, salt, 32, options);
  return ['scrypt', cost, blockSize, parallelization, salt.toString('base64'), hash.toString('base64')].join(
    '$',
  );
}

try {
  console.log(main(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
