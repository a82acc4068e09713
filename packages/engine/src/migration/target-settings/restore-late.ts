import { type MigrationPhase, type MigrationRecord, ownValue } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import { instead } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { deletesSetting, hurriedRefresh, isMarked, overridesOf, refreshSetting } from './internal-settings';
import { putEach } from './restore-target';

/**
 * The target's settings, once the migration has ended. Two things are looked for: requests of a scheduler that died,
 * which were still on their way, and settings that the cluster would not take back at the end.
 *
 * Late overrides are known by all of them at once, `index.gc_deletes` of the copy among them; one alone that has the
 * value of the copy is what somebody wants. What gives them back late is known by its mark, and so is what hurries search
 * replicas.
 * @returns the record without the note of what was missing; undefined when nothing is to be changed in it
 */
export async function restoreLate<P extends MigrationPhase>(
  context: StepContext,
  record: MigrationIn<P>,
): Promise<MigrationIn<P> | undefined> {
  const { log, signal } = context;
  const { targetOriginals, notRestored } = record;
  if (targetOriginals === undefined || (await isUsedAgain(context, record))) return undefined;
  const described = context.target.state.describe({ signal });
  // It keeps its block: what that hides is named in the record.
  const target = await described.catch(instead(undefined, 'not_found', 'forbidden', 'blocked'));
  if (target?.uuid !== record.targetUuid) return undefined;
  const { settings } = target;
  const marked = isMarked(settings);
  const hurried = settings[refreshSetting] === hurriedRefresh;
  const overrides = Object.entries(overridesOf(record));
  const overridden = overrides.filter(
    ([name, value]) => ownValue(settings, name) === value || (marked && name === deletesSetting),
  );
  const late = marked || overridden.length === overrides.length;
  if (!late && !hurried && notRestored === undefined) return undefined;
  const names = late || notRestored !== undefined ? overridden.map(([name]) => name) : [];
  const differing = [...names, ...(hurried ? [refreshSetting] : [])]
    .map((name) => [name, ownValue(targetOriginals, name) ?? null] as const)
    .filter(([name, value]) => (ownValue(settings, name) ?? null) !== value);
  if (differing.length > 0) {
    if (notRestored === undefined) {
      log.warn('settings_late', 'overrides of the target landed after the end: giving its settings back');
    }
    if ((await putEach(context, record, differing)) !== undefined) return undefined;
    log.info('target_restored', 'the target has its own settings again', {
      settings: differing.map(([name]) => name).join(','),
    });
  }
  if (notRestored === undefined) return undefined;
  const { notRestored: _restored, ...rest } = record;
  return rest;
}

/** Whether another migration uses the target of an ended migration. */
async function isUsedAgain(
  { store, signal }: StepContext,
  { key, targetIndex }: MigrationRecord,
): Promise<boolean> {
  const newer = await store.findMigrationUsing(targetIndex, { signal });
  return newer !== undefined && newer.key !== key;
}
