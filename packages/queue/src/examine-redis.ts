import type { RedisTls } from '@aosc/contract';
import type { Redis } from 'ioredis';
import { createConnection, findEvictionProblem } from './connection';
import { within } from './within';

/** What a Redis says about itself. */
export interface RedisFacts {
  readonly version: string;
  /** why BullMQ could lose jobs, and what to do; undefined: it can't */
  readonly evictionProblem: string | undefined;
  readonly isReplica: boolean;
  /** appends each change to a file */
  readonly appends: boolean;
  /** saves all of it from time to time; undefined: it does not tell */
  readonly saves: boolean | undefined;
  readonly usedBytes: number;
  /** 0: no limit */
  readonly maxBytes: number;
  /** its clock minus this machine's; exact to half a round trip */
  readonly skewMs: number;
  readonly roundTripsMs: readonly number[];
}

const samples = 5;

/**
 * Looks at a Redis and writes nothing.
 * @param clock both in ms: `now` since the epoch, `monotonic` for durations
 * @throws when it can't be reached within 5 s
 */
export async function examineRedis(
  options: { readonly redisUrl: string; readonly redisTls?: RedisTls },
  clock: { now(): number; monotonic(): number },
): Promise<RedisFacts> {
  const { connection, ready } = open(options);
  try {
    await within(connection, ready);
    const info = parseInfo(await connection.info());
    const roundTripsMs: number[] = [];
    for (let n = 0; n < samples; n++) {
      const start = clock.monotonic();
      await connection.ping();
      roundTripsMs.push(clock.monotonic() - start);
    }
    return {
      version: info.get('redis_version') ?? '?',
      evictionProblem: await findEvictionProblem(connection),
      isReplica: info.get('role') === 'slave',
      appends: info.get('aof_enabled') === '1',
      saves: await readSaves(connection),
      usedBytes: Number(info.get('used_memory') ?? 0),
      maxBytes: Number(info.get('maxmemory') ?? 0),
      skewMs: await measureSkew(connection, clock),
      roundTripsMs,
    };
  } finally {
    connection.disconnect();
  }
}

/** A connection that fails at once while it is not there, and the promise that it is. */
function open(options: Parameters<typeof createConnection>[0]) {
  let fail: ((error: Error) => void) | undefined;
  const connection = createConnection(options, 'impatient', (error) => fail?.(error));
  const ready = new Promise<void>((resolve, reject) => {
    fail = reject;
    connection.once('ready', resolve);
  });
  return { connection, ready };
}

/** Lines `name:value` of INFO. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
  });
  return new Map(pairs);
}

async function measureSkew(
  connection: Redis,
  clock: { now(): number; monotonic(): number },
): Promise<number> {
  const sent = clock.now();
  const [seconds, micros] = await connection.time();
  const middle = (sent + clock.now()) / 2;
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - middle);
}

/** A managed Redis refuses CONFIG. */
async function readSaves(connection: Redis): Promise<boolean | undefined> {
  try {
    const answer: unknown = await connection.config('GET', 'save');
    return Array.isArray(answer) && answer.length > 1 ? answer[1] !== '' : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return undefined;
    throw error;
  }
}
