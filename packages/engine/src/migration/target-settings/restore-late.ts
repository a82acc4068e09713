import { type MigrationPhase, type MigrationRecord, ownValue } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import { instead } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { deletesSetting, hurriedRefresh, isMarked, overridesOf, refreshSetting } from './internal-settings';
import { mayRemove } from '../files/remove-target';
import { putEach } from './restore-target';

/**
 * Gives the target its settings back after the migration has ended. There are two cases: a request of a dead scheduler
 * has landed late, or the cluster refused a setting at the end.
 *
 * The settings show three kinds of late requests:
 * - A request with the overrides: the target shows all of them at once. A single override may be a person's.
 * - A request of PREPARING_TARGET or of an undo: `index.gc_deletes` has the value `givenBackMark`.
 * - A request that hurries search replicas: the refresh interval is `hurriedRefresh`.
 * @returns the record without its note of what was not given back; undefined: the record stays as it is
 */
export async function restoreLate<P extends MigrationPhase>(
  context: StepContext,
  record: MigrationIn<P>,
): Promise<MigrationIn<P> | undefined> {
  const { log, signal } = context;
  const { targetOriginals, notRestored } = record;
  if (targetOriginals === undefined || (await isUsedAgain(context, record))) return undefined;
  const described = context.target.state.describe({ signal });
  // If the cluster refuses this look (a block, a missing privilege), the settings stay as they are.
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
  if (notRestored === undefined || mayRemove(record)) return undefined;
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
