import { ownValue } from '@aosc/contract';
import type { MigrationIn } from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { SettingValue } from '../../ports/settings-port';
import { type Changed, changed, type StepContext } from '../step/context';
import { failMigration } from '../step/failure';
import { isGivenBackEarly, type Settings, settingsPut } from './internal-settings';
import { putSettings } from './put-settings';

/** Overrides that only save time: without them the copy takes longer, and nothing else changes. */
const timeSavers: readonly string[] = [
  'index.auto_expand_replicas',
  'index.number_of_replicas',
  'index.refresh_interval',
];

/** A setting that the cluster refuses, and why, in the cluster's words. */
interface Refused {
  readonly name: string;
  readonly value: SettingValue;
  readonly reason: string;
}

/**
 * Overrides the settings of the target. The cluster may refuse an override that only saves time, for example 0 replicas
 * where `index.write.wait_for_active_shards` or balanced zones ask for some. The cluster may also refuse the target's
 * own value of such a setting, which has to be put back later, for example because a limit was set after the index was
 * made. In both cases the copy goes on without that override. Any other refusal makes the migration fail.
 * @param target as it is now
 * @returns undefined: all overrides are put; else the record without the refused ones, or the record in FAILING
 */
export async function putOverrides(
  context: StepContext,
  record: MigrationIn<'ACTIVE'>,
  target: IndexDescription,
): Promise<Changed<'ACTIVE'> | Changed<'FAILING'> | undefined> {
  const transient = Object.entries(record.options.transientTargetSettings);
  const refused =
    (await findRefused(context, givenBackLater(record, target))) ??
    (await findRefused(context, [
      ...transient,
      ...Object.entries(settingsPut(record)),
      ...notTakenOver(record),
    ]));
  if (refused === undefined) return undefined;
  const inTheWay = refused.find(({ name }) => !timeSavers.includes(name));
  if (inTheWay !== undefined) {
    const { name, value, reason } = inTheWay;
    return failMigration(
      context,
      record,
      `the cluster refuses [${name}] with [${value ?? 'default'}] on target index [${record.targetIndex}]: ${reason}. ` +
        'Start again with other options.transient_target_settings, or change ' +
        '[aosc.defaults.transient_target_settings]; {} overrides nothing',
    );
  }
  return changed(leaveOut(context, record, refused));
}

/**
 * The target's own values, which PREPARING_TARGET will put back. Putting them now changes nothing, and shows which of
 * them the cluster refuses. After hours of copying a refusal would come too late.
 * @returns an empty list when overrides have landed already, because the own values would undo them
 */
function givenBackLater(record: MigrationIn<'ACTIVE'>, { settings }: IndexDescription): Settings {
  const own = Object.keys(record.options.transientTargetSettings)
    .filter(isGivenBackEarly)
    .map((name) => [name, ownValue(record.targetOriginals ?? {}, name) ?? null] as const);
  return own.every(([name, value]) => (ownValue(settings, name) ?? null) === value) ? own : [];
}

/**
 * Puts settings together. If the cluster refuses that, puts them one by one.
 * @returns those that the cluster refuses even alone; undefined: all are put
 * @throws ClusterError when the cluster takes each of them, but not all together
 */
async function findRefused(
  context: StepContext,
  settings: Settings,
): Promise<readonly Refused[] | undefined> {
  if (settings.length === 0) return undefined;
  const whole = await putSettings(context, settings, ['invalid']);
  if (whole === undefined) return undefined;
  const refused: Refused[] = [];
  for (const [name, value] of settings) {
    const alone = await putSettings(context, [[name, value]], ['invalid']);
    if (alone !== undefined) refused.push({ name, value, reason: alone.message });
  }
  if (refused.length === 0) throw whole;
  return refused;
}

/**
 * A resize copies the source's write block to the target, unless its request says `null` for the block, as ours does.
 * OpenSearch keeps that `null` among the target's settings. Putting `null` once more removes it.
 */
function notTakenOver({ files }: MigrationIn<'ACTIVE'>): Settings {
  return files === undefined ? [] : [['index.blocks.write', null]];
}

function leaveOut(
  { log }: StepContext,
  record: MigrationIn<'ACTIVE'>,
  refused: readonly Refused[],
): MigrationIn<'ACTIVE'> {
  const leftOut = Object.fromEntries(refused.map(({ name, reason }) => [name, reason]));
  log.warn('overrides_refused', 'the copy goes on without settings that would save time', {
    settings: refused.map(({ name, value }) => `${name}=${String(value)}`).join(','),
    reason: refused[0]?.reason,
  });
  const { options, targetOriginals = {} } = record;
  return {
    ...record,
    options: { ...options, transientTargetSettings: without(options.transientTargetSettings, leftOut) },
    targetOriginals: without(targetOriginals, leftOut),
    overridesRefused: { ...record.overridesRefused, ...leftOut },
  };
}

function without<T>(values: Readonly<Record<string, T>>, names: object): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(names, name)));
}
