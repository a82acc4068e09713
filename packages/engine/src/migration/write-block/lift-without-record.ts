import { blockAlias, holdsWriters, isHeld } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { ignoreClusterErrors } from '../../ports/cluster-error';
import { isUrgent } from '../step/urgency';
import { isBlockOverdue } from '../step/failure';
import { takeToken } from '../cutover/commit-token';
import { bindIndices, type CoordinatorContext, type StepContext } from '../step/context';
import { isSourceBlocked } from './late-block';
import { liftBlock } from './lift-block';
import { giveBackHold } from './write-hold';

/**
 * - `not_ours`: no hold or block of ours has to end now, as the record says, or the source if the record is gone
 * - `committed`: the swap was first; the block stays as it was asked for
 * - `lifted`: the source takes writes, and no swap can happen any more
 * - `pending`: ask again
 */
export type UnwrittenLift = 'not_ours' | 'committed' | 'lifted' | 'pending';

/**
 * Lifts a write block whose record can't be written, or is gone: applications wait for the block, not for the record.
 * As in every abort the commit token comes first and then the block: so a swap that is still on its way changes
 * nothing, however late it lands.
 *
 * An abort has an exception (`blockBeforeToken`): where the target takes no changes, it may lift the block first. That
 * is safe only because the abort's record shows the abort, and that no swap was sent. Here no record can show an abort,
 * so there is no exception.
 *
 * This function writes nothing down. The first scheduler that can write the record again finds the block overdue and
 * aborts. Then it finds the token taken and the block gone.
 * @param known the record as it was last seen
 * @param readRecord reads the record as it is now, in less time than the whole call has
 */
export async function liftWithoutRecord(
  coordinator: CoordinatorContext,
  known: MigrationRecord,
  readRecord: () => Promise<MigrationRecord | undefined>,
): Promise<UnwrittenLift> {
  const context = bindIndices(coordinator, known);
  const { signal, blocks, timing, cutover } = context;
  const current = await readRecord().catch((error: unknown) => {
    signal.throwIfAborted();
    ignoreClusterErrors(error);
    return 'unreadable' as const;
  });
  const isGone = current === undefined;
  const isRead = typeof current === 'object';
  const record = isRead ? current : known;
  // The record may show the next attempt by now, whose hold or block must stay.
  const limits = { ...timing, maxHoldMs: cutover?.().maxHoldMs ?? 0 };
  if (isRead && !isUrgent(record, blocks, limits)) return 'not_ours';
  if (holdsWriters(record)) await giveBackHold(context, record);
  if (isHeld(record)) return isGone ? 'not_ours' : 'lifted';
  // An undo lifts its block by itself, and the migration goes on: without the token it could never swap. A block that
  // lasts longer than it may makes the migration fail, whatever the undo does.
  if (isRead && record.undoing !== undefined && !isBlockOverdue(context, record)) return 'pending';
  // The migration may have ended since its record was read.
  const isOurs = () => isMarked(context, record);
  if (!(await isSourceBlocked(context, record))) return isGone ? 'not_ours' : 'pending';
  if (!(await isOurs())) return 'not_ours';
  if (!record.tokenTaken && (await takeToken(context, record)) === 'committed') return 'committed';
  if (!(await liftBlock(context, record, isOurs))) return 'pending';
  context.log.warn('write_block_unwritten', 'the block was lifted, and the record could not be written', {
    index: record.sourceIndex,
  });
  return 'lifted';
}

/**
 * Whether the block on the source is still the migration's to lift: the source bears the migration's mark, and the
 * user's alias is not on the target. The migration may have ended since its record was seen, with a block that has to
 * stay. But a migration removes its mark before it ends, and the swap puts the alias on the target.
 */
async function isMarked(
  { source, target, signal }: StepContext,
  { key, alias, sourceUuid, targetUuid }: MigrationRecord,
): Promise<boolean> {
  const sourceNow = await source.state.describe({ signal });
  if (sourceNow?.uuid !== sourceUuid || !sourceNow.aliases.has(blockAlias(key))) return false;
  const targetNow = await target.state.describe({ signal });
  return targetNow?.uuid !== targetUuid || !targetNow.aliases.has(alias);
}
