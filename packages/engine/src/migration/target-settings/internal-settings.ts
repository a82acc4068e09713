import { type MigrationRecord, ownValue } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';
import type { SettingValue } from '../../ports/settings-port';

/** How long an index remembers the versions of deleted documents. */
export const deletesSetting = 'index.gc_deletes';

/**
 * Settings that every copy needs, beside the operator's overrides (`transient_target_settings`). The target must forget
 * deletes, so that it takes a re-created document with its lower version at once. And no final pipeline may change a
 * document that the service copies.
 */
const internalTargetSettings: Readonly<Record<string, string>> = {
  [deletesSetting]: '0s',
  'index.final_pipeline': '_none',
};

/**
 * When PREPARING_TARGET gives the target's settings back, it writes the `0s` of `index.gc_deletes` in this other
 * spelling. If the setting later reads `0s` again, a request with the overrides has landed late. A scheduler that died
 * has sent that request.
 */
export const givenBackMark = '0ms';

export const refreshSetting = 'index.refresh_interval';

/**
 * With this interval search replicas fetch what they lack while the cutover is near. The unusual value shows that the
 * service has set the interval.
 */
export const hurriedRefresh = '201ms';

/** Whether `index.gc_deletes` has the spelling of PREPARING_TARGET. */
export function isMarked(settings: IndexDescription['settings']): boolean {
  return settings[deletesSetting] === givenBackMark;
}

/** Whether the overrides have landed on the target once more, after it was given its settings back. */
export function haveLandedLate(record: MigrationRecord, target: IndexDescription): boolean {
  return record.targetRestored && target.settings[deletesSetting] === internalTargetSettings[deletesSetting];
}

/**
 * The internal settings that this target needs. A target without a final pipeline of its own needs no `_none`. If a
 * client gives it a pipeline later, `findChangedSettings` finds that.
 */
export function neededSettings(target: IndexDescription): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(internalTargetSettings).filter(
      ([name]) => name !== 'index.final_pipeline' || ownValue(target.settings, name) !== undefined,
    ),
  );
}

/**
 * The internal settings that the migration has put on its target: those of which the record keeps the target's own
 * values.
 */
export function settingsPut(record: MigrationRecord): Readonly<Record<string, string>> {
  const originals = record.targetOriginals ?? {};
  return Object.fromEntries(
    Object.entries(internalTargetSettings).filter(([name]) => Object.hasOwn(originals, name)),
  );
}

/** All settings that the migration overrides when it prepares the target: the operator's and the internal ones. */
export function overridesOf(record: MigrationRecord): Readonly<Record<string, string>> {
  const transient = Object.entries(record.options.transientTargetSettings);
  return {
    ...Object.fromEntries(transient.map(([name, value]) => [name, String(value)])),
    ...settingsPut(record),
  };
}

/**
 * Finds what another client has done to the target during the copy: the target is gone, an internal setting differs, or
 * the translog is `async`. A pipeline that came back would alter documents, and no count would show that.
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
 * Whether PREPARING_TARGET already gives this setting back. The copy needs the internal settings up to the swap. The
 * target gets its durability of the translog back only at the end: with `async` a crash could take what the last rounds
 * write.
 */
export function isGivenBackEarly(name: string): boolean {
  return name !== durabilitySetting && !Object.hasOwn(internalTargetSettings, name);
}

/** The settings to give back right before the swap, because from then on applications write under them. */
export function ownAtSwap(record: MigrationRecord, target: IndexDescription): Settings {
  const isAllOverridden = haveLandedLate(record, target);
  return Object.entries(record.targetOriginals ?? {}).filter(
    ([name, value]) =>
      (isAllOverridden || Object.hasOwn(internalTargetSettings, name)) &&
      (ownValue(target.settings, name) ?? null) !== value,
  );
}

/** The settings that the service has not given back yet. The operator may have changed the others since. */
export function stillBorrowed(
  record: MigrationRecord,
  { settings }: Pick<IndexDescription, 'settings'>,
): Settings {
  return Object.entries(record.targetOriginals ?? {}).filter(([name]) => {
    if (name === durabilitySetting) return true;
    if (name === refreshSetting) return settings[refreshSetting] === hurriedRefresh;
    if (!Object.hasOwn(internalTargetSettings, name)) return false;
    // An undo puts `givenBackMark` and `_none` in one request, which may land after the swap.
    const isLate =
      name === deletesSetting || ownValue(settings, name) === ownValue(internalTargetSettings, name);
    return !record.committed || (isMarked(settings) && isLate);
  });
}

/**
 * Whether an index acknowledges operations before it syncs them to disk. The checkpoints of such an index move only
 * when it syncs or flushes.
 */
export function isAsync(settings: IndexDescription['settings']): boolean {
  return settings[durabilitySetting]?.toLowerCase() === 'async';
}

/**
 * With `async` a crash of the target can take operations that the target has acknowledged, and that the copy counts as
 * written.
 */
function describeAsync({ targetIndex }: MigrationRecord, { settings }: IndexDescription): string | undefined {
  if (!isAsync(settings)) return undefined;
  return (
    `[${durabilitySetting}] of target index [${targetIndex}] was set to [async] during the migration: documents that ` +
    'were written can be gone. Start again into an empty target, and set it after the swap'
  );
}
