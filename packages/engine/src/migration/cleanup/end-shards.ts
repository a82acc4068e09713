import { isQuiet, leadsShardTo, moveShard, revokeWriter } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import { failCounters } from '../../shard/counters';
import type { MigrationView, StepContext } from '../step/context';

/**
 * Takes every shard that has not ended away from its worker. What they hold is listed to be closed.
 * @returns false when one of them has just been written by its worker: to be asked again
 */
export async function endShards(
  { store, signal, clock }: StepContext,
  { record: migration, shards }: MigrationView,
): Promise<boolean> {
  for (const stored of shards) {
    const ended = endShard(stored.record, migration.committed, clock.now());
    if (ended === undefined) continue;
    if ((await unlessConflict(() => store.replaceShard(stored, ended, { signal }))) === undefined)
      return false;
  }
  return true;
}

/**
 * The failed shard ends FAILED, the others CANCELLED; after the swap one whose work is done ends COMPLETED.
 * @returns undefined: it has ended already
 */
function endShard(record: ShardRecord, committed: boolean, nowMillis: number): ShardRecord | undefined {
  const { phase } = record;
  if (phase === 'FAILING') return moveShard(takeAway(record, nowMillis), phase, 'FAILED', nowMillis);
  if (committed && phase === 'COMPLETING') {
    return moveShard(takeAway(record, nowMillis), phase, 'COMPLETED', nowMillis);
  }
  if (!leadsShardTo(phase, 'CANCELLED')) return undefined;
  return moveShard(takeAway(record, nowMillis), phase, 'CANCELLED', nowMillis);
}

/** What the shard's worker holds is listed to be closed, and nobody owns it any more. */
function takeAway(record: ShardRecord, nowMillis: number): ShardRecord {
  const { snapshot, nextSnapshot, ...rest } = revokeWriter(record);
  const pits = [snapshot?.pitId, nextSnapshot?.pitId].filter((id) => id !== undefined);
  const closingPitIds = [...record.closingPitIds, ...pits];
  // A later pass of the abort can't tell a shard that was in doubt from one that was not, but by its nodes.
  const writer = isInDoubt(record) ? rest.writer : { ...rest.writer, nodes: [] };
  return failCounters({ ...rest, writer, closingPitIds }, nowMillis);
}

/**
 * Whether a bulk of the shard may still be carried out. One that was handed back, and was not taken away from anybody, was so
 * with every outcome known; but what was answered may come once more, and the next migration may have the same target.
 */
export function isInDoubt({ writer }: ShardRecord): boolean {
  return writer.owner !== undefined || !writer.fenceReady || !isQuiet(writer);
}
