import { endShard } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import type { MigrationView, StepContext } from '../step/context';

/**
 * Takes every shard that has not ended away from its worker, and lists the shard's snapshots for closing.
 * @returns false: another process has just written a shard's record, ask again
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
