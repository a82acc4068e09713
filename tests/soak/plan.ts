import { createRandom } from '@aosc/testkit';
import { type Fault, strikePhases } from '../chaos/fault';
import { takeRedisAway } from '../chaos/faults/redis';
import { drawPlan, type Plan } from '../chaos/plan';

/** Those that every process of the service lives through: the memory of a process that was killed says nothing. */
export const soakFaults = [
  'slow_answers',
  'overload',
  'cut_answers',
  'partition',
  'snapshots_closed',
  'source_moves',
  'redis_read_only',
  'redis_out_of_memory',
  'redis_flushall',
  'redis_outage',
  'worker_pause',
  'scheduler_pause',
] as const;

const shareWithout = 1 / 3;
const outageMs = 8_000;
const none: Fault = {
  name: 'none',
  what: 'nothing',
  demand: 'exact',
  strike: () => Promise.resolve(),
};

/** A migration of chaos, with one of these faults or with none. The same seed gives the same. */
export function drawSoakPlan(seed: number): Plan {
  // Other numbers than those that chaos draws from the same seed.
  const random = createRandom(~seed);
  const without = random.next() < shareWithout;
  const plan = drawPlan(seed, { fault: random.pick(soakFaults), phase: random.pick(strikePhases) });
  if (without) return { ...plan, fault: none, phase: 'ACTIVE', delayMs: 0 };
  return { ...plan, fault: shorten(plan.fault) };
}

/** Of a whole minute of one fault the others would have nothing. */
function shorten(fault: Fault): Fault {
  if (fault.name !== 'redis_outage') return fault;
  return {
    ...fault,
    what: `Redis is away for ${outageMs / 1000} s and comes back empty`,
    strike: (victim) => takeRedisAway(victim, outageMs),
  };
}
