import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { wasCleared } from '@aosc/domain';
import { closeSnapshots } from '../cleanup/close-listed';
import { removeOurNames } from '../cleanup/remove-names';
import type { Changed, MigrationView, StepContext, Waiting } from '../step/context';
import { changed, waiting } from '../step/context';
import { blockToBeGone, isBlockOfAnother, isSourceBlocked } from '../write-block/late-block';
import { liftBlock } from '../write-block/lift-block';
import { restoreLate } from '../target-settings/restore-late';
import { removeMadeTarget } from '../files/remove-target';
import { watchCopies } from '../cleanup/watch-copies';

/**
 * Gives the indices back, and looks again for some minutes after the end for whatever is ours: a request that was pending
 * in the cluster when the migration ended (a write block, an alias update of a scheduler that was paused) can land late.
 * What can't be undone now must not hold up the rest: it is tried again at the next look.
 */
export async function guard<P extends MigrationPhase>(
  context: StepContext,
  { record }: MigrationView<P>,
): Promise<Changed<P> | Waiting> {
  const errors: unknown[] = [];
  const attempt = async <T>(part: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await part();
    } catch (error) {
      context.signal.throwIfAborted();
      errors.push(error);
      return undefined;
    }
  };
  // Only now, with the end written down, may another migration have these indices.
  await attempt(() => context.store.releaseClaims(record, { signal: context.signal }));
  await attempt(() => liftLateBlock(context, record));
  // A resize can land late as well.
  if (record.phase !== 'COMPLETED') await attempt(() => removeMadeTarget(context, record));
  await attempt(() => removeOurNames(context, record));
  // What an administrator has left open stays open; what could not be closed then is not to be.
  await attempt(() => closeSnapshots(context, record, { onlyLate: wasCleared(record) }));
  const restored = await attempt(() => restoreLate(context, record));
  const watched = await attempt(() => watchCopies(context, restored ?? record));
  await attempt(() => context.jobs.dropShardJobs(record.key, record.sourceShardCount));
  const after = watched ?? restored;
  if (after !== undefined) {
    // What was found out must be written down, whatever else was refused: that is tried again at the next look.
    if (errors.length > 0) context.log.error('step_failed', 'a part of the guard can not go on', errors[0]);
    return changed(after);
  }
  if (errors.length > 0) throw errors[0];
  return waiting;
}

async function liftLateBlock(context: StepContext, record: MigrationRecord): Promise<void> {
  if (blockToBeGone(record) === undefined) return;
  if (!(await isSourceBlocked(context, record))) return;
  const isOurs = async (): Promise<boolean> => !(await isBlockOfAnother(context, record));
  if (!(await isOurs())) return;
  context.log.warn('write_block_late', 'a write block landed after the migration had ended: lifting it');
  await liftBlock(context, record, isOurs);
}
