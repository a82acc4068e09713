import { createHash, randomBytes } from 'node:crypto';
import { ConfigError, readSecretFile, variables } from '@aosc/config';

const leastLength = 32;

/**
 * The key that signs sessions.
 * @param path empty: a random key, so a session ends with the process and counts in this process only
 * @throws ConfigError when the file has too short a text
 */
export function readSessionKey(path: string): Buffer {
  if (path === '') return randomBytes(32);
  const { name } = variables.sessionKeyFile;
  const text = readSecretFile(name, path).trim();
  if (text.length < leastLength) {
    throw new ConfigError([`${name} (${path}) must have at least ${leastLength} characters of random text`]);
  }
  return createHash('sha256').update(text).digest();
}
