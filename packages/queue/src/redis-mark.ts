import { createParser, ShapeError } from '@aosc/contract';
import type { InstallationNames } from '@aosc/domain';
import { Type } from '@sinclair/typebox';
import type { Connection } from './connection';

/** The installation that Redis belongs to. */
export interface MarkContent {
  readonly names: InstallationNames;
  /** the text in Redis, which a compare-and-set expects */
  readonly text: string;
}

const parse = createParser(
  'names of the installation in Redis',
  Type.Object({ installation_id: Type.String(), cluster_uuid: Type.String(), redis_id: Type.String() }),
);

/** A text that no process of the service has written belongs to a stranger. */
const unreadable: InstallationNames = { installationId: '?', clusterUuid: '?', redisId: '?' };

const compareAndSet = `
local now = redis.call('GET', KEYS[1])
if (now or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** One key under the queue prefix. */
export function createRedisMark(connection: Connection, key: string) {
  return {
    /** @returns undefined: no process has written it since Redis was emptied */
    async read(): Promise<MarkContent | undefined> {
      const text = await connection.get(key);
      return text === null ? undefined : { names: readNames(text), text };
    },
    /**
     * Compare-and-set.
     * @param before `text` from `read`
     * @returns false when another process has changed it
     */
    async replace(before: string | undefined, names: InstallationNames, nowMillis: number): Promise<boolean> {
      const { installationId, clusterUuid, redisId } = names;
      const after = JSON.stringify({
        v: 1,
        installation_id: installationId,
        cluster_uuid: clusterUuid,
        redis_id: redisId,
        renewed_at_millis: nowMillis,
      });
      return (await connection.eval(compareAndSet, 1, key, before ?? '', after)) === 1;
    },
  };
}
export type RedisMark = ReturnType<typeof createRedisMark>;

function readNames(text: string): InstallationNames {
  try {
    const { installation_id, cluster_uuid, redis_id } = parse(JSON.parse(text));
    return { installationId: installation_id, clusterUuid: cluster_uuid, redisId: redis_id };
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return unreadable;
    throw error;
  }
}
