import {
  AoscError,
  findSettingsConflicts,
  isSettingKey,
  didYouMean,
  nearestName,
  validationFailed,
  parseSetting,
  recordSchemaVersion,
  resolveSettings,
  settingKeys,
  type SettingsRecord,
  settingText,
  shorten,
  isObject,
  asObject,
  settingsTable,
  type SettingsAnswer,
  type SettingTree,
} from '@aosc/contract';
import { flattenSettings, nestSettings } from './setting-tree';
import { matchesPattern } from '../auth/index-pattern';

const scopes = ['persistent', 'transient'] as const;
type Scope = (typeof scopes)[number];
/** Settings by full name and as text, by scope. */
type ScopedTexts = Readonly<Record<Scope, Readonly<Record<string, string>>>>;

/** What a request asks for: by scope, full name -> value; null means back to the default. */
export type SettingsChange = Readonly<Record<Scope, ReadonlyMap<string, unknown>>>;

export const noSettings: SettingsRecord = {
  kind: 'settings',
  schemaVersion: recordSchemaVersion,
  persistent: {},
  transient: {},
};

/** The result of a change. */
export interface SettingsOutcome {
  readonly after: SettingsRecord;
  /** what the change has set */
  readonly applied: ScopedTexts;
  /** full names of settings that had a value and are at their default again */
  readonly reset: Readonly<Record<Scope, readonly string[]>>;
}

/** The names that a change asks for, patterns among them. The reader of the request bounds them. */
export function namesOf({
  persistent,
  transient,
}: SettingsChange): Readonly<Record<Scope, readonly string[]>> {
  return { persistent: [...persistent.keys()], transient: [...transient.keys()] };
}

/** Reads the body of `PUT /_cluster/settings`. @throws AoscError */
export function readSettingsChange(body: unknown): SettingsChange {
  const given = asObject(body);
  const unknown = Object.keys(given).find((name) => !(scopes as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, scopes);
    throw new AoscError('illegal_argument', `unknown field [${shorten(unknown)}]${hint}`);
  }
  const change = { persistent: flatten(given, 'persistent'), transient: flatten(given, 'transient') };
  if (change.persistent.size + change.transient.size === 0) {
    throw validationFailed(['no settings to update']);
  }
  return change;
}

function flatten(body: Readonly<Record<string, unknown>>, scope: Scope): ReadonlyMap<string, unknown> {
  const given = body[scope];
  if (given === undefined || given === null) return new Map();
  if (!isObject(given)) throw new AoscError('parsing_failed', `[${scope}] must be an object of settings`);
  return flattenSettings(given);
}

/**
 * What is set after a change.
 * @throws AoscError illegal_argument: unknown names, values out of range, values that contradict each other
 */
export function applySettingsChange(before: SettingsRecord, change: SettingsChange): SettingsOutcome {
  const persistent = applyScope('persistent', before.persistent, change.persistent);
  const transient = applyScope('transient', before.transient, change.transient);
  const conflicts = findSettingsConflicts(resolveSettings(persistent.after, transient.after));
  if (conflicts.length > 0) {
    throw new AoscError('illegal_argument', conflicts.join('; '));
  }
  return {
    after: { ...before, persistent: persistent.after, transient: transient.after },
    applied: { persistent: persistent.applied, transient: transient.applied },
    reset: { persistent: persistent.reset, transient: transient.reset },
  };
}

function applyScope(
  scope: Scope,
  before: Readonly<Record<string, string>>,
  change: ReadonlyMap<string, unknown>,
): { after: Record<string, string>; applied: Record<string, string>; reset: readonly string[] } {
  const after = new Map(Object.entries(before));
  const applied = new Map<string, string>();
  const reset: string[] = [];
  for (const [name, value] of change) {
    if (value === null) {
      for (const known of namesToReset(scope, name)) if (after.delete(known)) reset.push(known);
      continue;
    }
    if (!isSettingKey(name)) throw notRecognized(scope, name);
    parseSetting(name, value);
    after.set(name, settingText(value));
    applied.set(name, settingText(value));
  }
  return { after: Object.fromEntries(after), applied: Object.fromEntries(applied), reset };
}

/** A reset may name many at once: `aosc.backfill.*`. */
function namesToReset(scope: Scope, name: string): readonly string[] {
  if (isSettingKey(name)) return [name];
  if (!name.includes('*')) throw notRecognized(scope, name);
  return settingKeys.filter((key) => matchesPattern(name, key));
}

function notRecognized(scope: Scope, name: string): AoscError {
  const near = nearestName(name, settingKeys);
  const hint = near === undefined ? '' : ` did you mean [${near}]?`;
  const foreign = name.startsWith('aosc.')
    ? ''
    : '; this service has only the aosc.* settings, all others are set on the cluster itself';
  return new AoscError('illegal_argument', `${scope} setting [${name}], not recognized${hint}${foreign}`);
}

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
