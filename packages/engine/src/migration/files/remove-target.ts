import type { MigrationRecord } from '@aosc/contract';
import { isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { restoreTarget } from '../target-settings/restore-target';
import { decideRemoval } from './decide-making';

/**
 * What an abort does about the target: it removes a target that the migration has made, and gives any other target its
 * settings back.
 * @returns what could not be done, and what the operator can do
 */
export async function giveUpTarget(
  context: StepContext,
  record: MigrationRecord,
): Promise<string | undefined> {
  if (record.files === undefined) return restoreTarget(context, record);
  return removeMadeTarget(context, record);
}

/**
 * Looks at the target, and then removes it by its name. If another index gets the name in between, this removes that
 * index.
 */
export async function removeMadeTarget(
  context: StepContext,
  record: MigrationRecord,
): Promise<string | undefined> {
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
