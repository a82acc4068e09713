import { createParser, type RedisAccess } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { askHolder, type Connection, createConnection } from './connection';
import { whileRedisAnswers } from './while-redis-answers';

/**
 * Uses a connection that fails at once while Redis is away.
 * @throws when Redis does not answer in time
 */
export async function openBriefly<T>(
  access: RedisAccess,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  let fail: ((error: Error) => void) | undefined;
  const connection = createConnection(access, 'impatient', (error) => fail?.(error));
  const ready = new Promise<void>((resolve, reject) => {
    fail = reject;
    connection.once('ready', resolve);
  });
  try {
    await whileRedisAnswers(connection, ready);
    return await use(connection);
  } finally {
    connection.disconnect();
  }
}

const parseScan = createParser('answer to SCAN', Type.Tuple([Type.String(), Type.Array(Type.String())]));
/** Keys that one step of a search passes. */
const keysPerLook = 1000;

/**
 * One step through the keys of a server, or of the cluster's node that holds `key`.
 * @param prefix is taken as it is; `pattern` follows it
 * @returns the cursor of the next step, '0' at the end, and the keys found
 */
export async function scanKeys(
  connection: Connection,
  key: string,
  { prefix, pattern, cursor }: { readonly prefix: string; readonly pattern: string; readonly cursor: string },
): Promise<readonly [next: string, keys: readonly string[]]> {
  const match = prefix.replace(/[\\*?[\]]/g, '\\$&') + pattern;
  const words = ['scan', cursor, 'MATCH', match, 'COUNT', `${keysPerLook}`];
  return parseScan(await askHolder(connection, key, ...words));
}
