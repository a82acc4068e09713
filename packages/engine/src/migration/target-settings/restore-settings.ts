import { ignoreClusterErrors } from '../../ports/cluster-error';
import { withUnreadKeys } from '../cutover/unread-keys';
import { mergeSiblings } from '../files/merge-siblings';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { ensureShardJobs, hurry } from '../step/shard-jobs';
import { waitOrFail } from '../step/target-deadline';
import { deletesSetting, givenBackMark, isGivenBackEarly, type Settings } from './internal-settings';
import { putSettings } from './put-settings';

/** The target gets its settings back, apart from those that the copy needs up to the swap. */
export async function restoreSettings(
  context: StepContext,
  view: MigrationView<'PREPARING_TARGET'>,
): Promise<StepResult<'PREPARING_TARGET'>> {
  // Wakes the shards with unread keys. They have rested until now, because the reading begins when all have converged.
  if (view.record.files?.merge === undefined) await hurry(context, view.record, withUnreadKeys(view));
  const own = Object.entries(view.record.targetOriginals ?? {}).filter(([name]) => isGivenBackEarly(name));
  const merged = bringReplicas(own)
    ? await mergeSiblings(context, view)
    : ({ type: 'over', record: view.record } as const);
  if (merged.type !== 'over') return merged;
  const { record } = merged;
  // A new replica gets the files of the last flush, and then each later operation one by one. Without a flush these
  // operations may be the whole copy. The flush only saves time, so its failure holds up nothing.
  if (bringReplicas(own))
    await context.target.state.flush({ signal: context.signal }).catch(ignoreClusterErrors);
  const readyTimeoutMs = record.options.targetReadyTimeoutSeconds * 1000;
  const timed = { ...record, targetReadyDeadlineMillis: context.clock.now() + readyTimeoutMs };
  const settings = [...own, [deletesSetting, givenBackMark] as const];
  const error = await putSettings(context, settings, ['invalid', 'blocked', 'forbidden']);
  if (error === undefined) return changed({ ...timed, targetRestored: true });
  // The copy is complete, so a refusal does not fail the migration at once. The operator gets as much time to remove
  // the cause as the target gets to become green.
  if (record.targetReadyDeadlineMillis === undefined) return changed(timed);
  const text = `target index [${record.targetIndex}] does not get its settings back: ${error.message}`;
  const describe = () => `${text}. Remove what makes the cluster refuse it; it is tried again until then`;
  // The wait may last for hours, and the replay needs its jobs during that time.
  await ensureShardJobs(context, { ...view, record });
  return waitOrFail(context, record, { reason: 'target', describe, late: () => text });
}

/** Whether the settings may make OpenSearch add replicas. For the number `null` means the default, usually one. */
function bringReplicas(settings: Settings): boolean {
  return settings.some(
    ([name, value]) =>
      (name === 'index.number_of_replicas' && value !== '0') ||
      (name === 'index.auto_expand_replicas' && value !== null && value !== 'false'),
  );
}
