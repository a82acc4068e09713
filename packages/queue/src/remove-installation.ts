import { createParser, type RedisAccess } from '@aosc/contract';
import type { InstallationNames } from '@aosc/domain';
import { Type } from '@sinclair/typebox';
import { askHolder } from './connection';
import { openBriefly } from './open-briefly';
import { markKey, rootPrefix } from './queue-names';
import { createRedisMark } from './redis-mark';
import { whileRedisAnswers } from './while-redis-answers';

const parseScan = createParser('answer to SCAN', Type.Tuple([Type.String(), Type.Array(Type.String())]));

/**
 * Removes all keys of one installation from its Redis, for the tool that created that installation and now removes it.
 * None of its processes may still run.
 * @returns whose keys they were; undefined when none of its processes has started to work
 * @throws when Redis does not answer in time, and the signal's reason
 */
export async function removeInstallation(
  options: RedisAccess & { readonly prefix: string },
  signal: AbortSignal,
): Promise<InstallationNames | undefined> {
  const { connection, ready } = openBriefly(options);
  const root = rootPrefix(options, options.prefix);
  const key = markKey(root);
  try {
    await whileRedisAnswers(connection, ready);
    const mark = await createRedisMark(connection, key).read();
    let cursor = '0';
    do {
      signal.throwIfAborted();
      const answer = await askHolder(connection, key, 'scan', cursor, 'match', `${root}:*`, 'count', '1000');
      const [next, keys] = parseScan(answer);
      if (keys.length > 0) await connection.del(...keys);
      cursor = next;
    } while (cursor !== '0');
    return mark?.names;
  } finally {
    connection.disconnect();
  }
}
