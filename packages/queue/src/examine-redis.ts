import { createParser, type RedisAccess } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { Cluster } from 'ioredis';
import { askHolder, type Connection } from './connection';
import { findEvictionProblem, findUnknownCluster, readInfo } from './find-server-problem';
import { openBriefly } from './open-briefly';
import { createPresence } from './presence';
import { keyPrefix, markKey, presenceKey, rootPrefix } from './queue-names';

const samples = 5;

const parseTime = createParser('answer to TIME', Type.Tuple([Type.String(), Type.String()]));

/**
 * Examines a Redis and writes nothing; of a cluster, the node that holds the keys of the service.
 * @param clock both in ms: `now` since the epoch, `monotonic` for durations
 * @throws when Redis does not answer in time
 */
export function examineRedis(
  options: RedisAccess & { readonly prefix: string; readonly clusterUuid?: string | undefined },
  clock: { now(): number; monotonic(): number },
) {
  const root = rootPrefix(options, options.prefix);
  const key = markKey(root);
  return openBriefly(options, async (connection) => {
    const info = await readInfo(connection, key);
    const roundTripsMs: number[] = [];
    for (let n = 0; n < samples; n++) {
      const start = clock.monotonic();
      await askHolder(connection, key, 'ping');
      roundTripsMs.push(clock.monotonic() - start);
    }
    return {
      version: info.get('redis_version') ?? '?',
      /** why BullMQ could lose jobs, and what to do; undefined: it can't */
      evictionProblem: findEvictionProblem(info),
      /** it is a cluster, but the service treats it as one server */
      isUnknownCluster: findUnknownCluster(connection, info) !== undefined,
      isReplica: info.get('role') === 'slave',
      /** appends each change to a file */
      appends: info.get('aof_enabled') === '1',
      /** saves a snapshot from time to time; undefined: it does not say */
      saves: await readSaves(connection),
      usedBytes: Number(info.get('used_memory') ?? 0),
      /** 0: no limit */
      maxBytes: Number(info.get('maxmemory') ?? 0),
      /** its clock minus this machine's; exact to half a round trip */
      skewMs: await measureSkew(connection, key, clock),
      roundTripsMs,
      /** processes that take jobs now; undefined: no cluster was given */
      running:
        options.clusterUuid === undefined
          ? undefined
          : await countRunning(connection, keyPrefix(root, options.clusterUuid)),
    };
  });
}
/** What a Redis reports about itself. */
export type RedisFacts = Awaited<ReturnType<typeof examineRedis>>;

async function countRunning(connection: Connection, prefix: string) {
  const count = (who: 'workers' | 'schedulers') =>
    createPresence(connection, presenceKey(prefix, who)).count();
  return { workers: await count('workers'), schedulers: await count('schedulers') };
}

async function measureSkew(
  connection: Connection,
  key: string,
  clock: { now(): number; monotonic(): number },
): Promise<number> {
  const sent = clock.now();
  const [seconds, micros] = parseTime(await askHolder(connection, key, 'time'));
  const middle = (sent + clock.now()) / 2;
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - middle);
}

/** A managed Redis refuses CONFIG, and so does a Redis whose user has only the rights that the service needs. */
async function readSaves(connection: Connection): Promise<boolean | undefined> {
  if (connection instanceof Cluster) return undefined;
  try {
    const answer: unknown = await connection.config('GET', 'save');
    return Array.isArray(answer) && answer.length > 1 ? answer[1] !== '' : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return undefined;
    throw error;
  }
}
