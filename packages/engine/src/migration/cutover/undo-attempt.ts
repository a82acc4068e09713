import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { bringBack, isBlockAnnounced, isHeld, type MigrationIn, undoAttempt } from '@aosc/domain';
import { unlessConflict } from '../../ports/compare-and-set';
import { type Changed, changed, type MigrationView, type StepContext, type Waiting } from '../step/context';
import { bringPrimariesBack, closeHandedBack } from '../cleanup/finish-shards';
import { deletesSetting, givenBackMark, settingsPut } from '../target-settings/internal-settings';
import { failMigration, pauseBudget } from '../step/failure';
import { liftBlock, liftPollMs } from '../write-block/lift-block';
import { giveBackHold } from '../write-block/write-hold';

type UndoPhase = 'CUTTING_OVER' | 'CATCHING_UP' | 'COMPLETING';

/** Undoes an attempt that has taken longer than it may. */
export function undoLateAttempt<P extends UndoPhase>(
  context: StepContext,
  record: MigrationIn<P>,
  waitedFor: string,
): Changed<P | 'FAILING'> {
  const what = isHeld(record) ? 'writes were held' : 'writes were refused';
  const { text } = pauseBudget(context, record);
  return beginUndo(context, record, `${what} for longer than ${text}: ${waitedFor}`);
}

/**
 * Notes in the record that the attempt is to be undone, before the undo begins. From then on no scheduler goes on to
 * the swap, and if this scheduler dies, another one does the undo. If the attempt was the last of
 * `max_cutover_attempts`, the migration fails instead.
 */
export function beginUndo<P extends UndoPhase>(
  context: StepContext,
  record: MigrationIn<P>,
  why: string,
): Changed<P | 'FAILING'> {
  const { maxCutoverAttempts = Infinity } = record.options;
  if ((record.undoneCount ?? 0) + 1 >= maxCutoverAttempts) {
    return failMigration(context, record, `${why}; attempts: ${maxCutoverAttempts} (max_cutover_attempts)`);
  }
  context.log.warn('cutover_undone', `the cutover is undone and tried again: ${why}`);
  return changed({ ...record, undoing: why });
}

/**
 * Undoes an attempt. The hold ends first, which is safe at any time. Then the shards go back to the replay. The block
 * ends last, because a last round under the block relies on a source without writes.
 */
export async function endAttempt<P extends UndoPhase>(
  context: StepContext,
  view: MigrationView<P>,
): Promise<Changed<'PREPARING_TARGET'> | Waiting> {
  const { record } = view;
  const isOurs = () => isStillUndone(context, record);
  if (!(await isOurs())) return { type: 'waiting', wakeInMs: 0 };
  await giveBackHold(context, record);
  if (record.phase === 'COMPLETING') await overrideAgain(context, record);
  if (!(await bringShardsBack(context, view))) return { type: 'waiting', wakeInMs: 0 };
  const isBlocked = isBlockAnnounced(record) && !record.writeBlock.usersOwn;
  if (isBlocked && !(await liftBlock(context, record, isOurs)))
    return { type: 'waiting', wakeInMs: liftPollMs };
  const now = context.clock.now();
  if (isBlocked) {
    context.metrics.writeBlockEnded((now - record.writeBlock.requestedAtMillis) / 1000);
  }
  return changed(undoAttempt(record, now));
}

/**
 * Whether the attempt still waits for its undo, or for what is left of it. Another process may have ended this undo
 * during a slow request of this one, and the next attempt may have begun: its block and its last rounds must stay.
 */
export async function isStillUndone(
  { store, signal }: StepContext,
  { key, phase, undoneCount, undoing }: MigrationRecord,
): Promise<boolean> {
  const now = (await store.readMigration(key, { signal }))?.record;
  return now?.phase === phase && now.undoing === undoing && now.undoneCount === undoneCount;
}

/**
 * Does what is left of earlier undos: a request for the hold may land late, a worker that was paused may begin its last
 * round, and a node that left during the attempt may come back with a snapshot.
 * @returns false: ask again
 */
export async function finishUndo(
  context: StepContext,
  view: MigrationView<'PREPARING_TARGET'>,
): Promise<boolean> {
  const { record, shards } = view;
  if (record.undoneCount === undefined) return true;
  // `shards` was read after `record`: these may be the last rounds of the next attempt.
  if (shards.some((stored) => isAhead(stored.record)) && !(await isStillUndone(context, record)))
    return false;
  if (!(await bringShardsBack(context, view))) return false;
  await giveBackHold(context, record);
  if (shards.every(({ record: { snapshot } }) => snapshot !== undefined)) return true;
  await closeHandedBack(context, view);
  await bringPrimariesBack(context);
  return true;
}

/**
 * Puts the copy's overrides on the target again, because the replay needs them. The target may already have its own
 * settings back, for applications.
 */
async function overrideAgain(
  { target, signal, assertMandate }: StepContext,
  record: MigrationRecord,
): Promise<void> {
  assertMandate();
  await target.settings.put({ ...settingsPut(record), [deletesSetting]: givenBackMark }, { signal });
}

/**
 * Takes the shards from their last rounds back to the replay. As after the death of a worker, the shards' next owners
 * close the fences (the aliases that bulks go through), wait for the bulks that were sent, and finish the rounds that
 * were begun. After a conflict this decides nothing by a newer record: that record may be in the last round of the next
 * attempt.
 * @returns false: another process has written one of them: ask again
 */
async function bringShardsBack(
  { store, signal, clock }: StepContext,
  { shards }: Pick<MigrationView, 'shards'>,
): Promise<boolean> {
  const ahead = shards.filter(({ record }) => isAhead(record));
  const written = await Promise.all(
    ahead.map((stored) =>
      unlessConflict(() => store.replaceShard(stored, bringBack(stored.record, clock.now()), { signal })),
    ),
  );
  return written.every((stored) => stored !== undefined);
}

const isAhead = ({ phase }: ShardRecord): boolean => phase === 'CATCHING_UP' || phase === 'COMPLETING';
