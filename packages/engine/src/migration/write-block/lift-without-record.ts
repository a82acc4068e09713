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
 * - `not_ours`: no hold or block of the service has to end now. The record shows that, or the source if the record is
 *   gone
 * - `committed`: the swap has happened, and the block stays
 * - `lifted`: the source takes writes, and no swap can happen any more
 * - `pending`: ask again
 */
export type UnwrittenLift = 'not_ours' | 'committed' | 'lifted' | 'pending';

/**
 * Ends a write hold or a write block whose record can't be written, or is gone, because applications wait. As in every
 * abort, the commit token comes before the block. So a swap that is still on its way changes nothing, however late it
 * lands.
 *
 * An abort has an exception (`blockBeforeToken`): if the target takes no changes, the abort may lift the block first.
 * That is safe only because the record then shows the abort, and that no swap was sent. Here no record can show an
 * abort, so there is no exception.
 *
 * This function does not write the record. The first scheduler that can write it again finds the block overdue and
 * aborts, and then finds the token taken and the block gone.
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
  // The record may show a later attempt by now, whose hold or block must stay.
  const limits = { ...timing, maxHoldMs: cutover?.().maxHoldMs ?? 0 };
  if (isRead && !isUrgent(record, blocks, limits)) return 'not_ours';
  if (holdsWriters(record)) await giveBackHold(context, record);
  if (isHeld(record)) return isGone ? 'not_ours' : 'lifted';
  // An undo lifts its block by itself, and then the migration goes on, for which it needs the token. But an overdue
  // block makes the migration fail, so the token may go.
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
 * Whether the migration may still lift the block on the source: the source has the migration's mark, and the user's
 * alias is not on the target. Since this process last saw the record, the migration may have ended with a block that
 * has to stay. But a migration removes its mark before it ends, and the swap puts the alias on the target.
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
