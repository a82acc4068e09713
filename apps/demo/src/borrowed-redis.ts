import { type AppConfig, readRedisAccess } from '@aosc/config';
import { examineRedis, removeInstallation } from '@aosc/queue';
import { timeLimit } from '@aosc/signals';
import { RefusedError } from './refused-error';
import { withoutCredentials } from './surroundings';

const removalMs = 60_000;

/**
 * Makes sure that the service can work with this Redis.
 * @returns its version
 * @throws RefusedError
 */
export async function examineBorrowedRedis(config: AppConfig<'worker'>): Promise<string> {
  const shown = withoutCredentials(config.redisUrls.join(','));
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const facts = await examineRedis({ ...readRedisAccess(config), prefix: config.queuePrefix }, clock).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RefusedError(`Redis at ${shown} can't be reached: ${reason}`, { cause: error });
    },
  );
  if (facts.evictionProblem !== undefined)
    throw new RefusedError(`Redis at ${shown}: ${facts.evictionProblem}`);
  return facts.version;
}

/**
 * Removes all keys with the demo's prefix, after the service's end.
 * @param redisUrls where they are: of the demo's own Redis or of a borrowed one
 * @returns the demo's installation as its processes have named it there; undefined: none has begun to work
 */
export async function removeOwnKeys(
  config: AppConfig<'worker'>,
  redisUrls: readonly string[],
): Promise<string | undefined> {
  const access = readRedisAccess({ ...config, redisUrls });
  const names = await removeInstallation({ ...access, prefix: config.queuePrefix }, timeLimit(removalMs));
  return names?.installationId;
}
