import {
  isSettingKey,
  settingKeys,
  settingsTable,
  type SettingsAnswer,
  type SettingTree,
} from '@aosc/contract';
import type { Scope, ScopedTexts } from './change-settings';
import { nestSettings } from './setting-tree';

type Texts = Readonly<Record<string, string>>;

const render = (texts: Texts, flat: boolean): SettingTree => (flat ? texts : nestSettings(texts));

/** The two scopes as OpenSearch prints them. @param flat full names instead of nested objects */
export function renderScopes(
  { persistent, transient }: ScopedTexts,
  flat: boolean,
): Record<Scope, SettingTree> {
  return { persistent: render(persistent, flat), transient: render(transient, flat) };
}

/** The answer of `GET /_cluster/settings`; `defaults` has what is not set. */
export function renderSettings(
  set: ScopedTexts,
  { flat, includeDefaults }: { readonly flat: boolean; readonly includeDefaults: boolean },
): SettingsAnswer {
  const scopes = renderScopes(set, flat);
  return includeDefaults ? { ...scopes, defaults: render(defaultsOf(set), flat) } : scopes;
}

function defaultsOf({ persistent, transient }: ScopedTexts): Texts {
  const unset = settingKeys.filter(
    (key) => !Object.hasOwn(persistent, key) && !Object.hasOwn(transient, key),
  );
  return Object.fromEntries(unset.filter(isSettingKey).map((key) => [key, settingsTable[key].default]));
}
