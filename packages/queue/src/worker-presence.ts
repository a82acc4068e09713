import type { Connection } from './connection';

/** Which worker processes take jobs, by Redis's own clock: the machines' clocks may differ. */
export interface WorkerPresence {
  /** The worker takes jobs: it counts for this many milliseconds from now. */
  announce(worker: string, forMs: number): Promise<void>;
  /** The worker takes no more jobs. */
  withdraw(worker: string): Promise<void>;
  /** @throws when Redis can't be reached */
  count(): Promise<number>;
}

const now = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

const announce = `${now}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1`;

/** Removes workers whose time is over, so that the set never holds more than there are processes. */
const count = `${now}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZCARD', KEYS[1])`;

export function createWorkerPresence(connection: Connection, key: string): WorkerPresence {
  return {
    async announce(worker, forMs) {
      await connection.eval(announce, 1, key, worker, forMs);
    },
    async withdraw(worker) {
      await connection.zrem(key, worker);
    },
    count: async () => Number(await connection.eval(count, 1, key)),
  };
}
