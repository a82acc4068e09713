import { type MigrationRecord, ownValue } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';
import type { SettingValue } from '../../ports/settings-port';

/** How long deletes are remembered. */
export const deletesSetting = 'index.gc_deletes';

/**
 * Settings of the target that the copy itself needs, beside the operator's. The target must take a re-created document
 * with its lower version at once, and no pipeline may touch a document that the service copies.
 */
const internalTargetSettings: Readonly<Record<string, string>> = {
  [deletesSetting]: '0s',
  'index.final_pipeline': '_none',
};

/**
 * PREPARING_TARGET gives `index.gc_deletes` this other spelling of the same value. So the setting shows when a late
 * call overrides the settings again: a scheduler died on that call, and another has given the settings back meanwhile.
 */
export const givenBackMark = '0ms';

export const refreshSetting = 'index.refresh_interval';

/**
 * With this interval search replicas fetch what they lack while the cutover is near. The unusual value tells that the
 * setting is not the operator's.
 */
export const hurriedRefresh = '201ms';

/** Whether settings of the target bear the mark. */
export function isMarked(settings: IndexDescription['settings']): boolean {
  return settings[deletesSetting] === givenBackMark;
}

/** Whether the overrides have landed on the target once more, after it was given its settings back. */
export function haveLandedLate(record: MigrationRecord, target: IndexDescription): boolean {
  return record.targetRestored && target.settings[deletesSetting] === internalTargetSettings[deletesSetting];
}

/**
 * The settings that this target needs. Without a final pipeline of its own it needs no `_none`, whose removal would be
 * one more change of the cluster's state under the write block.
 */
export function neededSettings(target: IndexDescription): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(internalTargetSettings).filter(
      ([name]) => name !== 'index.final_pipeline' || ownValue(target.settings, name) !== undefined,
    ),
  );
}

/** The settings that the migration has put on its target, whose own values the record remembers. */
export function settingsPut(record: MigrationRecord): Readonly<Record<string, string>> {
  const originals = record.targetOriginals ?? {};
  return Object.fromEntries(
    Object.entries(internalTargetSettings).filter(([name]) => Object.hasOwn(originals, name)),
  );
}

/** The overrides as they were put when the target was prepared. */
export function overridesOf(record: MigrationRecord): Readonly<Record<string, string>> {
  const transient = Object.entries(record.options.transientTargetSettings);
  return {
    ...Object.fromEntries(transient.map(([name, value]) => [name, String(value)])),
    ...settingsPut(record),
  };
}

/**
 * Finds an override that another client has changed under the copy: a pipeline that came back would alter documents
 * without a trace in any count.
 * @returns the reason to fail, or undefined
 */
export function findChangedSettings(
  record: MigrationRecord,
  target: IndexDescription | undefined,
): string | undefined {
  if (target?.uuid !== record.targetUuid) return `Target index [${record.targetIndex}] no longer exists`;
  const put = settingsPut(record);
  const name = Object.keys(internalTargetSettings).find(
    (each) =>
      ownValue(target.settings, each) !== ownValue(put, each) &&
      !(each === deletesSetting && isMarked(target.settings)),
  );
  if (name === undefined) return describeAsync(record, target);
  const [expected, found] = [ownValue(put, name), ownValue(target.settings, name)].map(
    (value) => value ?? 'default',
  );
  return (
    `[${name}] of target index [${record.targetIndex}] was changed from [${expected}] to [${found}] ` +
    'during the migration: documents may have been altered on their way. Start again into an empty target'
  );
}

const durabilitySetting = 'index.translog.durability';

export type Settings = readonly (readonly [name: string, value: SettingValue])[];

/**
 * Whether PREPARING_TARGET gives a setting back. The copy needs the others up to the swap. A durability of `async`,
 * under which a crash could take what the last rounds write, waits for the end.
 */
export function isGivenBackEarly(name: string): boolean {
  return name !== durabilitySetting && !Object.hasOwn(internalTargetSettings, name);
}

/** The settings to give back right before the swap, because applications meet them from then on. */
export function ownAtSwap(record: MigrationRecord, target: IndexDescription): Settings {
  const isAllOverridden = haveLandedLate(record, target);
  return Object.entries(record.targetOriginals ?? {}).filter(
    ([name, value]) =>
      (isAllOverridden || Object.hasOwn(internalTargetSettings, name)) &&
      (ownValue(target.settings, name) ?? null) !== value,
  );
}

/**
 * The settings that were not given back so far. A setting that was given back is the operator's again, who may have
 * changed it since.
 */
export function stillBorrowed(record: MigrationRecord, { settings }: IndexDescription): Settings {
  return Object.entries(record.targetOriginals ?? {}).filter(([name]) => {
    if (name === durabilitySetting) return true;
    if (name === refreshSetting) return settings[refreshSetting] === hurriedRefresh;
    if (name === deletesSetting && isMarked(settings)) return true;
    return Object.hasOwn(internalTargetSettings, name) && !record.committed;
  });
}

/** Whether an index acknowledges operations that it has not synced: its checkpoints move on a sync or flush only. */
export function isAsync(settings: IndexDescription['settings']): boolean {
  return settings[durabilitySetting]?.toLowerCase() === 'async';
}

/**
 * With `async` the target acknowledges operations that it has not synced: a crash can take what the copy counts as
 * written.
 */
function describeAsync({ targetIndex }: MigrationRecord, { settings }: IndexDescription): string | undefined {
  if (!isAsync(settings)) return undefined;
  return (
    `[${durabilitySetting}] of target index [${targetIndex}] was set to [async] during the migration: documents that ` +
    'were written can be gone. Start again into an empty target, and set it after the swap'
  );
}
