import { isQuiet, leadsShardTo, moveShard, revokeWriter } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import { unlessConflict } from '../../ports/compare-and-set';
import { failCounters } from '../../shard/counters';
import { withSnapshotsGivenUp } from '../../shard/snapshot/late-closes';
import type { MigrationView, StepContext } from '../step/context';

/**
 * Takes every shard that has not ended away from its worker, and lists the shard's snapshots as to be closed.
 * @returns false when a worker has just written one of them: ask again
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
 * The failed shard ends FAILED, the others CANCELLED. After the swap a shard whose work is done ends COMPLETED.
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

/** Lists the snapshots of the shard's worker to be closed, and leaves the shard without an owner. */
function takeAway(record: ShardRecord, nowMillis: number): ShardRecord {
  const given = withSnapshotsGivenUp(revokeWriter(record));
  // Every shard that was taken away counts as in doubt from now on. A later part of the abort waits for the nodes that
  // a shard names, so a shard that was not in doubt must name none.
  const writer = isInDoubt(record) ? given.writer : { ...given.writer, nodes: [] };
  return failCounters({ ...given, writer }, nowMillis);
}

/**
 * Whether a node may still carry out a bulk of the shard. A worker that handed its shard back knew the outcome of every
 * bulk. But a node may carry out an answered bulk a second time, and the next migration may have the same target.
 */
export function isInDoubt({ writer }: ShardRecord): boolean {
  return writer.owner !== undefined || !writer.fenceReady || !isQuiet(writer);
}
