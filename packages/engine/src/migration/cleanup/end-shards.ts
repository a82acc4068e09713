import { endShard } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
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
