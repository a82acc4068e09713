import { scryptSync } from 'node:crypto';
import type { Grant } from '@aosc/contract';
import { sha256 } from '../secret-hash';

const salt = Buffer.alloc(16, 7);

/** As cheap as a hash may be. */
export function passwordHash(password: string): string {
  const hash = scryptSync(password, salt, 32, { cost: 2 ** 14, blockSize: 8, parallelization: 1 });
  return ['scrypt', 2 ** 14, 8, 1, salt.toString('base64'), hash.toString('base64')].join('$');
}

export function keyHash(key: string): string {
  return `sha256$${sha256(key).toString('hex')}`;
}

export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** Entry of a key whose text is its name. */
export function keyEntry(name: string, roles: readonly Grant[], patterns?: readonly string[]): object {
  return {
    name,
    key_hash: keyHash(name),
    roles,
    ...(patterns === undefined ? {} : { index_patterns: patterns }),
  };
}
