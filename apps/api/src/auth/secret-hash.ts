import { createHash, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Parameters of one scrypt hash, and the hash. */
export interface ScryptHash {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const minCost = 2 ** 14;
const maxMemoryBytes = 256 * 1024 * 1024;
const maxParallelization = 16;

/**
 * Reads `scrypt$N$r$p$salt$hash`, salt and hash in base64. Refuses a hash that is too weak, and a hash so dear that a
 * single login could take the process's memory.
 * @returns undefined when the text is none
 */
export function parseScryptHash(text: string): ScryptHash | undefined {
  const [scheme, n = '', r = '', p = '', salt64 = '', hash64 = '', ...rest] = text.split('$');
  if (scheme !== 'scrypt' || rest.length > 0) return undefined;
  if (![n, r, p].every((number) => /^[1-9]\d{0,8}$/.test(number))) return undefined;
  if (!base64.test(salt64) || !base64.test(hash64)) return undefined;
  const [cost, blockSize, parallelization] = [Number(n), Number(r), Number(p)];
  const [salt, hash] = [Buffer.from(salt64, 'base64'), Buffer.from(hash64, 'base64')];
  if (!Number.isInteger(Math.log2(cost)) || cost < minCost || blockSize < 8) return undefined;
  if (parallelization > maxParallelization || 128 * cost * blockSize > maxMemoryBytes) return undefined;
  if (salt.length < 16 || salt.length > 64 || hash.length < 32 || hash.length > 64) return undefined;
  return { cost, blockSize, parallelization, salt, hash };
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Whether this is the password of the hash. Takes some tenths of a second, off the event loop. */
export async function verifyPassword(
  password: string,
  { salt, hash, ...costs }: ScryptHash,
): Promise<boolean> {
  const options = { ...costs, maxmem: 2 * 128 * costs.cost * costs.blockSize };
  return timingSafeEqual(await derive(password, salt, hash.length, options), hash);
}

/** Reads `sha256$<64 hex digits>`. @returns undefined when the text is none */
export function parseKeyHash(text: string): Buffer | undefined {
  const hex = /^sha256\$([0-9a-f]{64})$/.exec(text)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** In constant time. */
export const isEqual = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
