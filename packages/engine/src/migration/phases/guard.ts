import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { wasCleared } from '@aosc/domain';
import { closeSnapshots } from '../cleanup/close-listed';
import { removeOurNames } from '../cleanup/remove-names';
import type { Changed, MigrationView, StepContext, Waiting } from '../step/context';
import { changed, waiting } from '../step/context';
import { blockToBeGone, isBlockOfAnother, isLongUndone, isSourceBlocked } from '../write-block/late-block';
import { liftBlock } from '../write-block/lift-block';
import { restoreLate } from '../target-settings/restore-late';
import { removeLate } from '../files/remove-target';
import { watchCopies } from '../cleanup/watch-copies';

/**
 * Runs again and again for some minutes after the end, and longer where `watchCopies` asks for that. It releases the
 * claims on the indices, and removes what the migration has left, because a request that was pending at the end (a
 * write block, an alias update of a paused scheduler) can land late. A part that fails does not hold up the other
 * parts: the next run tries that part again.
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
  // The stored record shows the end, so another migration may have these indices.
  await attempt(() => context.store.releaseClaims(record, { signal: context.signal }));
  await attempt(() => liftLateBlock(context, record));
  // The request that makes the target of files can land late, too.
  const removed = await attempt(() => removeLate(context, record));
  await attempt(() => removeOurNames(context, record));
  // An administrator who cleared the migration may have left its snapshots open on purpose. Then `guard` closes only the
  // snapshots that an earlier try could not close.
  await attempt(() => closeSnapshots(context, record, { onlyLate: wasCleared(record) }));
  const restored = (await attempt(() => restoreLate(context, removed ?? record))) ?? removed;
  const watched = await attempt(() => watchCopies(context, restored ?? record));
  await attempt(() => context.jobs.dropShardJobs(record.key, record.sourceShardCount));
  const after = watched ?? restored;
  if (after !== undefined) {
    // The changed record must be stored even if other parts have failed. The next run tries these parts again.
    if (errors.length > 0) context.log.error('step_failed', 'a part of the guard can not go on', errors[0]);
    return changed(after);
  }
  if (errors.length > 0) throw errors[0];
  return waiting;
}

/**
 * Lifts a block that lands late, up to `guardMs` after the end. `guard` may run for longer, but a block that it finds
 * then may be the operator's, or that of a later migration.
 */
async function liftLateBlock(context: StepContext, record: MigrationRecord): Promise<void> {
  const { clock, timing } = context;
  const endedAtMillis = record.transitionHistory.at(-1)?.startTimeMillis ?? 0;
  if (Math.abs(clock.now() - endedAtMillis) >= timing.guardMs) return;
  if (blockToBeGone(record) === undefined || isLongUndone(context, record)) return;
  if (!(await isSourceBlocked(context, record))) return;
  const isOurs = async (): Promise<boolean> => !(await isBlockOfAnother(context, record));
  if (!(await isOurs())) return;
  context.log.warn('write_block_late', 'a write block landed after the migration had ended: lifting it');
  await liftBlock(context, record, isOurs);
}
