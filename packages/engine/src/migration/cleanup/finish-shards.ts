import type { ShardRecord } from '@aosc/contract';
import { moveShard } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import { afterClosing, pitIdsToClose, wasLateClosed } from '../../shard/snapshot/late-closes';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import { closeQuietly } from '../../shard/snapshot/snapshot-lease';
import type { MigrationView, StepContext } from '../step/context';

/**
 * COMPLETING → COMPLETED, after the swap, of all shards that their workers have handed back: closes what they hold. All at
 * once, so that a few requests do for all of them. A shard that somebody else writes at the same moment stays as it is.
 * @returns the phases of all shards afterwards
 */
export async function finishShards(
  context: StepContext,
  { shards }: MigrationView,
): Promise<readonly ShardRecord['phase'][]> {
  const { source, signal } = context;
  const finished = await Promise.all(shards.map((stored) => finishShard(context, stored)));
  if (finished.some(({ wasLate }) => wasLate)) await retryAllocations(source.cluster, context, signal);
  return finished.map(({ phase }) => phase);
}

interface Finished {
  readonly phase: ShardRecord['phase'];
  /** a copy may have waited for what is closed now */
  readonly wasLate: boolean;
}

async function finishShard(
  { store, source, signal, clock }: StepContext,
  stored: Stored<ShardRecord>,
): Promise<Finished> {
  const { record } = stored;
  const { phase } = record;
  // One that is owned is closed by its worker, which is of an earlier version.
  if (phase !== 'COMPLETING' || record.writer.owner !== undefined) return { phase, wasLate: false };
  const ids = pitIdsToClose(record);
  const left = await closeQuietly(source.snapshots, ids);
  const now = clock.now();
  const after = moveShard(afterClosing(record, ids, left, now), phase, 'COMPLETED', now);
  const written = await unlessConflict(() => store.replaceShard(stored, after, { signal }));
  return { phase: written?.record.phase ?? phase, wasLate: wasLateClosed(record, left) };
}
