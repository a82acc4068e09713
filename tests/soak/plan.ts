import { createRandom } from '@aosc/testkit';
import { type Fault, strikePhases } from '../chaos/fault';
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
  'redis_restart',
  'node_kill',
  'target_node_kill',
  'node_restart',
  'manager_kill',
  'manager_change',
  'node_returns',
  'manager_returns',
  'api_pause',
  'worker_pause',
  'scheduler_pause',
] as const;

const shareWithout = 1 / 3;
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
  const chosen = {
    fault: random.pick(soakFaults),
    phase: random.pick(strikePhases),
    ground: 'plain',
  } as const;
  // It is shaken after each migration.
  const plan = { ...drawPlan(seed, chosen), shakes: 0 };
  return without ? { ...plan, fault: none, phase: 'ACTIVE', delayMs: 0 } : plan;
}
