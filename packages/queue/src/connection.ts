import type { RedisTls } from '@aosc/contract';
import { Redis } from 'ioredis';

/** How a connection behaves while Redis is away. */
export type ConnectionRole =
  /** answers at once with an error: somebody waits for an HTTP response */
  | 'impatient'
  /** keeps trying for ever: a worker has nothing else to do */
  | 'patient';

const patient = { maxRetriesPerRequest: null };
const impatient = {
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  connectTimeout: 2000,
  commandTimeout: 5000,
};

/**
 * One connection. A replica that was promoted, or demoted under us, answers READONLY: reconnecting finds the
 * right server.
 * @param onError every connection needs a listener, or an unreachable Redis ends the process
 */
export function createConnection(
  { redisUrl, redisTls }: { readonly redisUrl: string; readonly redisTls?: RedisTls },
  role: ConnectionRole,
  onError: (error: Error) => void,
): Redis {
  const connection = new Redis(redisUrl, {
    // Given at all, it would switch TLS on for redis:// as well.
    ...(redisTls !== undefined && redisUrl.startsWith('rediss:') ? { tls: redisTls } : {}),
    retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(role === 'patient' ? patient : impatient),
  });
  connection.on('error', (error: Error) => onError(explainTls(error)));
  return connection;
}

/** Codes of OpenSSL's verification, as Node hands them on. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The bare text of a refused certificate says neither whose it is nor what to do. */
function explainTls(error: Error): Error {
  if (!('code' in error) || typeof error.code !== 'string' || !untrusted.has(error.code)) return error;
  return new Error(
    `Redis shows a certificate that no known authority signed (${error.message}): AOSC_REDIS_CA must name a file with the authority's certificate`,
    { cause: error },
  );
}

/**
 * BullMQ loses jobs when Redis may evict keys.
 * @returns what is wrong with the server, or undefined
 */
export async function findEvictionProblem(connection: Redis): Promise<string | undefined> {
  const info = await connection.info('memory');
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1];
  if (policy === undefined || policy === 'noeviction') return undefined;
  return `Redis may evict keys (maxmemory-policy is ${policy}): set maxmemory-policy to noeviction`;
}
