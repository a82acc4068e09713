import { ignoreClusterErrors } from '../../ports/cluster-error';
import { withUnreadKeys } from '../cutover/unread-keys';
import { mergeSiblings } from '../files/merge-siblings';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { hurry } from '../step/shard-jobs';
import { waitOrFail } from '../step/target-deadline';
import { deletesSetting, givenBackMark, isGivenBackEarly, type Settings } from './internal-settings';
import { putSettings } from './put-settings';

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
  const readyTimeoutMs = record.options.targetReadyTimeoutSeconds * 1000;
  const timed = { ...record, targetReadyDeadlineMillis: context.clock.now() + readyTimeoutMs };
  const settings = [...own, [deletesSetting, givenBackMark] as const];
  const error = await putSettings(context, settings, ['invalid', 'blocked', 'forbidden']);
  if (error === undefined) return changed({ ...timed, targetRestored: true });
  // All is copied by now: a new limit, or a block, of another client gets the time that a green target would.
  if (record.targetReadyDeadlineMillis === undefined) return changed(timed);
  const text = `target index [${record.targetIndex}] does not get its settings back: ${error.message}`;
  const describe = () => `${text}. Remove what makes the cluster refuse it; it is tried again until then`;
  return waitOrFail(context, record, { reason: 'target', describe, late: () => text });
}

/** Whether settings that are given back may have replicas made; null: the default, which is one. */
function bringReplicas(settings: Settings): boolean {
  return settings.some(
    ([name, value]) =>
      (name === 'index.number_of_replicas' && value !== '0') ||
      (name === 'index.auto_expand_replicas' && value !== null && value !== 'false'),
  );
}
