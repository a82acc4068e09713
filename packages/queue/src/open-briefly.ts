import type { RedisAccess } from '@aosc/contract';
import { type Connection, createConnection } from './connection';

/** A connection that fails at once while Redis is away, and a promise for its opening. */
export function openBriefly(access: RedisAccess): {
  readonly connection: Connection;
  readonly ready: Promise<void>;
} {
  let fail: ((error: Error) => void) | undefined;
  const connection = createConnection(access, 'impatient', (error) => fail?.(error));
  const ready = new Promise<void>((resolve, reject) => {
    fail = reject;
    connection.once('ready', resolve);
  });
  return { connection, ready };
}
