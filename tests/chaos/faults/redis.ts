import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '@aosc/local-stack';
import type { Fault, Victim } from '../fault';

const spellMs = 8_000;

/** Redis is away for so long, and comes back empty. */
async function takeRedisAway({ arena }: Victim, milliseconds: number): Promise<void> {
  const { redis } = arena.environment.stack;
  await redis.kill();
  await sleep(milliseconds);
  await redis.restart();
}

export const redisFaults: readonly Fault[] = [
  {
    name: 'redis_flushall',
    what: 'FLUSHALL',
    demand: 'exact',
    strike: ({ arena }) => arena.redis('FLUSHALL'),
  },
  {
    name: 'redis_restart',
    what: 'restart of Redis without persistence: it comes back empty',
    demand: 'exact',
    strike: ({ arena }) => arena.environment.stack.redis.restart(),
  },
  {
    name: 'redis_outage',
    what: 'Redis is away for 10 s, or for 60 s, and comes back empty',
    demand: 'exact',
    strike: (victim) => takeRedisAway(victim, victim.random.pick([10_000, 10_000, 60_000])),
  },
  {
    name: 'redis_read_only',
    what: 'Redis is a read-only replica (of nobody) for 8 s',
    demand: 'exact',
    async strike({ arena }) {
      const [nobody = 1] = await findFreePorts(1);
      await arena.redis('REPLICAOF', '127.0.0.1', String(nobody));
      await sleep(spellMs);
      await arena.redis('REPLICAOF', 'NO', 'ONE');
    },
  },
  {
    name: 'redis_out_of_memory',
    what: 'maxmemory 1 for 8 s: every command that needs memory is refused',
    demand: 'exact',
    async strike({ arena }) {
      await arena.redis('CONFIG', 'SET', 'maxmemory', '1');
      await sleep(spellMs);
      await arena.redis('CONFIG', 'SET', 'maxmemory', '0');
    },
  },
];
