import type { MigrationIn } from '@aosc/domain';
import { type ClusterError, ignoreClusterErrors, isClusterError } from '../../ports/cluster-error';
import { withUnreadKeys } from '../cutover/unread-keys';
import { mergeSiblings } from '../files/merge-siblings';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { failMigration } from '../step/failure';
import { hurry } from '../step/shard-jobs';
import { waitsUntilMillis } from '../step/target-deadline';
import { waitHeldUp } from '../step/waiting-reason';
import { deletesSetting, givenBackMark, isGivenBackEarly, type Settings } from './internal-settings';

const refusedPollMs = 1000;

/** The target gets its settings back, apart from those that the copy needs up to the swap. */
export async function restoreSettings(
  context: StepContext,
  view: MigrationView<'PREPARING_TARGET'>,
): Promise<StepResult<'PREPARING_TARGET'>> {
  // They rest, and begin with it now that all shards have converged.
  if (view.record.files?.merge === undefined) await hurry(context, view.record, withUnreadKeys(view));
  const own = Object.entries(view.record.targetOriginals ?? {}).filter(([name]) => isGivenBackEarly(name));
  const merged = bringReplicas(own)
    ? await mergeSiblings(context, view)
    : ({ type: 'over', record: view.record } as const);
  if (merged.type !== 'over') return merged;
  const { record } = merged;
  // A replica is made of the files of the last flush and, one by one, of the operations after it: without a flush that
  // can be all that was copied. The flush only saves time, so its failure holds up nothing.
  if (bringReplicas(own))
    await context.target.state.flush({ signal: context.signal }).catch(ignoreClusterErrors);
  const now = context.clock.now();
  const targetReadyDeadlineMillis = now + record.options.targetReadyTimeoutSeconds * 1000;
  context.assertMandate();
  try {
    await context.target.settings.put(
      { ...Object.fromEntries(own), [deletesSetting]: givenBackMark },
      { signal: context.signal },
    );
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'blocked', 'forbidden')) throw error;
    return waitForRestore(context, record, { error, targetReadyDeadlineMillis });
  }
  return changed({ ...record, targetRestored: true, targetReadyDeadlineMillis });
}

/** All is copied by now: a new limit, or a block, of another client gets the time that a green target would. */
async function waitForRestore(
  context: StepContext,
  record: MigrationIn<'PREPARING_TARGET'>,
  {
    error,
    targetReadyDeadlineMillis,
  }: { readonly error: ClusterError; readonly targetReadyDeadlineMillis: number },
): Promise<StepResult<'PREPARING_TARGET'>> {
  if (record.targetReadyDeadlineMillis === undefined)
    return changed({ ...record, targetReadyDeadlineMillis });
  const text = `target index [${record.targetIndex}] does not get its settings back: ${error.message}`;
  if (context.clock.now() < waitsUntilMillis(context, record)) {
    const describe = () => `${text}. Remove what makes the cluster refuse it; it is tried again until then`;
    return waitHeldUp(context, record, { reason: 'target', describe }, refusedPollMs);
  }
  return failMigration(context, record, text);
}

/** Whether settings that are given back may have replicas made; null: the default, which is one. */
function bringReplicas(settings: Settings): boolean {
  return settings.some(
    ([name, value]) =>
      (name === 'index.number_of_replicas' && value !== '0') ||
      (name === 'index.auto_expand_replicas' && value !== null && value !== 'false'),
  );
}
