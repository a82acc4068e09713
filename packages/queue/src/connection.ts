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
export function createConnection(url: string, role: ConnectionRole, onError: (error: Error) => void): Redis {
  const connection = new Redis(url, {
    retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(role === 'patient' ? patient : impatient),
  });
  connection.on('error', onError);
  return connection;
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
