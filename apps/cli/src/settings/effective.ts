import type { Settings } from '@aosc/client';
import { matcherOf } from './name-pattern';
import { isSettingKey, ownValue, settingKeys, settingsTable } from '@aosc/contract';

/** A setting as it is in force. */
interface Effective {
  readonly name: string;
  readonly value: string;
  readonly origin: 'default' | 'persistent' | 'transient';
  /** undefined: only a newer API knows the setting */
  readonly byDefault: string | undefined;
}

/** Every setting that the API or this command knows, by name. @param answer with full names */
export function effectiveSettings({ persistent, transient, defaults = {} }: Settings): readonly Effective[] {
  const names = new Set([
    ...settingKeys,
    ...[persistent, transient, defaults].flatMap((scope) => Object.keys(scope)),
  ]);
  return [...names].sort().flatMap((name): Effective[] => {
    const byDefault = isSettingKey(name) ? settingsTable[name].default : undefined;
    const found = (
      [
        ['transient', ownValue(transient, name)],
        ['persistent', ownValue(persistent, name)],
        ['default', ownValue(defaults, name) ?? byDefault],
      ] as const
    ).find(([, value]) => value !== undefined);
    if (found === undefined) return [];
    const [origin, value] = found;
    return [{ name, value: typeof value === 'string' ? value : JSON.stringify(value), origin, byDefault }];
  });
}

interface Difference {
  readonly name: string;
  readonly value: string;
  readonly wanted: string;
}

/** Settings that differ from the wanted values. @param wanted values by name; undefined: the defaults */
export function findDifferences(
  settings: readonly Effective[],
  wanted: Readonly<Record<string, string>> | undefined,
): readonly Difference[] {
  return settings.flatMap(({ name, value, byDefault }) => {
    const want = wanted === undefined ? byDefault : ownValue(wanted, name);
    return want === undefined || want === value ? [] : [{ name, value, wanted: want }];
  });
}

/** What a request would change, and which of its values a transient one (which stays until it is reset) hides. */
interface Changes {
  readonly changes: readonly Difference[];
  readonly hidden: readonly Difference[];
}

/**
 * What a request would change of the values in force. A transient value wins over a persistent one.
 * @param values by name, in which `*` stands for any text; null: the default, or what the other scope has
 */
export function findChanges(
  settings: readonly Effective[],
  values: Readonly<Record<string, string | null>>,
  scope: 'persistent' | 'transient',
): Changes {
  const found = Object.entries(values).flatMap(([pattern, wanted]) => {
    const matches = matcherOf(pattern);
    const named = settings.filter(({ name }) => matches(name));
    // When this command does not know a name, the API says what is wrong with it.
    if (named.length === 0)
      return [{ isHidden: false, name: pattern, value: 'unknown', wanted: wanted ?? 'its default' }];
    return named.flatMap(({ name, value, origin, byDefault }) => {
      const isHidden = scope === 'persistent' && origin === 'transient';
      const isSo = wanted === null ? origin !== scope && !isHidden : wanted === value;
      return isSo ? [] : [{ isHidden, name, value, wanted: wanted ?? byDefault ?? 'its default' }];
    });
  });
  const pick = (isWanted: boolean): readonly Difference[] =>
    found.filter(({ isHidden }) => isHidden === isWanted).map(({ isHidden: _, ...difference }) => difference);
  return { changes: pick(false), hidden: pick(true) };
}
