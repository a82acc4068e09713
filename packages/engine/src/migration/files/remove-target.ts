import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { restoreTarget } from '../target-settings/restore-target';
import { decideRemoval } from './decide-making';

/**
 * What an abort does about the target: it removes a target that the migration has made. A target that stays gets its
 * settings back.
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
 * Looks after the end for a target that could not be removed, or that landed late.
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

/** Whether the record's note is about a target that the migration has made: then it stays until the target is gone. */
export function mayRemove({ files, phase }: MigrationRecord): boolean {
  return files !== undefined && phase !== 'COMPLETED';
}

/**
 * Removes the target if this migration has made it and no client has given it an alias (`decideRemoval`). The request
 * goes by name: if another index gets the name after the look, that index is removed.
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
