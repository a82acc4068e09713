import type { Connection } from './connection';

const now = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/** Removes processes whose time is over, so that the set never holds more than there are. */
const announce = `${now}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1`;

const count = `${now}
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')`;

/** Which processes take jobs, by Redis's own clock: the machines' clocks may differ. */
export function createPresence(connection: Connection, key: string) {
  return {
    /** The process takes jobs: it counts for this many milliseconds from now. */
    async announce(name: string, forMs: number): Promise<void> {
      await connection.eval(announce, 1, key, name, forMs);
    },
    /** The process takes no more jobs. */
    async withdraw(name: string): Promise<void> {
      await connection.zrem(key, name);
    },
    /** @throws when Redis can't be reached */
    count: async () => Number(await connection.eval(count, 1, key)),
  };
}
export type Presence = ReturnType<typeof createPresence>;
