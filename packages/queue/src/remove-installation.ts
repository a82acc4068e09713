import type { RedisAccess } from '@aosc/contract';
import type { InstallationNames } from '@aosc/domain';
import { openBriefly, scanKeys } from './open-briefly';
import { markKey, rootPrefix } from './queue-names';
import { createRedisMark } from './redis-mark';

/**
 * Removes all keys of one installation from its Redis, for the tool that created that installation and now removes it.
 * None of its processes may still run.
 * @returns whose keys they were; undefined when none of its processes has started to work
 * @throws when Redis does not answer in time, and the signal's reason
 */
export function removeInstallation(
  options: RedisAccess & { readonly prefix: string },
  signal: AbortSignal,
): Promise<InstallationNames | undefined> {
  const root = rootPrefix(options, options.prefix);
  const key = markKey(root);
  return openBriefly(options, async (connection) => {
    const mark = await createRedisMark(connection, key).read();
    let cursor = '0';
    do {
      signal.throwIfAborted();
      const [next, keys] = await scanKeys(connection, key, { prefix: root, pattern: ':*', cursor });
      if (keys.length > 0) await connection.del(...keys);
      cursor = next;
    } while (cursor !== '0');
    return mark?.names;
  });
}
