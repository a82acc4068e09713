import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { restoreTarget } from '../target-settings/restore-target';
import { decideRemoval } from './decide-making';

/**
 * The part of an abort that ends with the target: removes a target that the migration has made of files, and gives a
 * target that stays its settings back.
 * @returns what could not be done, and what the operator can do
 */
export async function giveUpTarget(
  context: StepContext,
  record: MigrationRecord,
): Promise<string | undefined> {
  const left = record.files === undefined ? undefined : await removeMadeTarget(context, record);
  const notRestored = await restoreTarget(context, record);
  return left ?? notRestored;
}

/**
 * Removes, after the migration's end, a target that the abort could not remove, or that a late request has made.
 * @returns the record, whose note says what is left now; undefined: the record stays as it is
 */
export async function removeLate<P extends MigrationPhase>(
  context: StepContext,
  record: MigrationIn<P>,
): Promise<MigrationIn<P> | undefined> {
  if (!mayRemove(record)) return undefined;
  const left = await removeMadeTarget(context, record);
  if (left === record.notRestored) return undefined;
  const { notRestored: _before, ...rest } = record;
  return { ...rest, ...(left !== undefined && { notRestored: left }) };
}

/** Whether the target of this ended migration has to be removed: then the record's note is about the removal. */
export function mayRemove({ files, phase }: MigrationRecord): boolean {
  return files !== undefined && phase !== 'COMPLETED';
}

/**
 * Removes the target if `decideRemoval` allows that. The request names the index by its name, so it removes another
 * index that gets the name between the look and the request.
 * @returns why the target was not removed, and what the operator can do; undefined: there is no target to remove any
 *   more
 */
async function removeMadeTarget(context: StepContext, record: MigrationRecord): Promise<string | undefined> {
  const { target, signal, log } = context;
  const removal = decideRemoval(record, await target.state.describe({ signal }));
  if (removal.type === 'leave') return removal.reason;
  if (removal.type === 'none') return undefined;
  context.assertMandate();
  try {
    await target.files.remove({ signal });
  } catch (error) {
    if (!isClusterError(error, 'forbidden', 'blocked', 'invalid')) throw error;
    return `target index [${record.targetIndex}] was not removed: ${error.message}. Delete it yourself`;
  }
  log.info('target_removed', 'the target that the migration had made was removed', {
    index: record.targetIndex,
  });
  return undefined;
}
