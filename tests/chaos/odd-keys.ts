import { fateOf } from '../support/key-fate';
import { ringOfIndices } from './indices';
import type { Plan } from './plan';

/** Text that was cut inside an emoji. */
const half = '\ud83d';

/**
 * Ends a part of the ids with half of a surrogate pair, which a search shows as U+FFFD: those of documents that can be
 * migrated. Under a routing, all can; without one, those that stay in their shard where the shards do not change.
 */
export function spellId(plan: Plan, plain: string, routing: string | undefined): string {
  if (!plan.oddKeys || !/[05]$/.test(plain)) return plain;
  const id = `${plain}${half}`;
  const shape = (shardCount: number) => ({ shardCount, routingShardCount: ringOfIndices, partitionSize: 1 });
  const fate = fateOf({ id, routing }, shape(plan.sourceShards), shape(plan.targetShards));
  return fate === 'kept' ? id : plain;
}
