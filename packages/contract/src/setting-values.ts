import { AoscError } from './errors';
import { IndexSettingsSchema } from './migration-options';
import { ownValue } from './own-value';
import { createParser } from './parse';
import { shorten } from './shorten';

/**
 * Reading one value of a setting. Units, limits and error texts are OpenSearch's own (`Setting`, `TimeValue`,
 * `ByteSizeValue`), because operators and their tools know them.
 */

const timeUnits = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;
const byteUnits = {
  b: 1,
  k: 2 ** 10,
  kb: 2 ** 10,
  m: 2 ** 20,
  mb: 2 ** 20,
  g: 2 ** 30,
  gb: 2 ** 30,
  t: 2 ** 40,
  tb: 2 ** 40,
  p: 2 ** 50,
  pb: 2 ** 50,
} as const;

/** Values of settings of type json-object: index settings by their full names. */
export type IndexSettings = Readonly<Record<string, string | number | boolean | null>>;

/** Limits as they are written in the settings table; absent: no limit on that side. */
export interface Limits {
  readonly min?: string;
  readonly max?: string;
}

/** Longer texts are no value of any setting but a JSON object; the patterns below need not be fast on them. */
const maxTextLength = 256;

const illegal = (reason: string) => new AoscError('illegal_argument', reason);
const unparsable = (key: string, text: string) =>
  illegal(`Failed to parse value [${shorten(text)}] for setting [${key}]`);

/** @throws illegal_argument when a text is longer than any number, time, size or word */
export function refuseLongText(key: string, text: string): void {
  if (text.length > maxTextLength) throw unparsable(key, text);
}

/** The text a setting is stored as: numbers and booleans as JSON writes them, objects (of json-object settings) as JSON. */
export function settingText(value: unknown): string {
  if (typeof value === 'string') return value;
  // JSON has no text for a number that is too large for a double
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function checkNumber(key: string, text: string, value: number, { min, max }: Limits): number {
  const refuse = (rule: string) =>
    illegal(`Failed to parse value [${text}] for setting [${key}] must be ${rule}`);
  if (min !== undefined && value < Number(min)) throw refuse(`>= ${min}`);
  if (max !== undefined && value > Number(max)) throw refuse(`<= ${max}`);
  return value;
}

function checkQuantity(
  key: string,
  text: string,
  value: number,
  { min, max }: Limits,
  parse: (limit: string) => number,
): number {
  const refuse = (rule: string) =>
    illegal(`failed to parse value [${text}] for setting [${key}], must be ${rule}`);
  if (min !== undefined && value < parse(min)) throw refuse(`>= [${min}]`);
  if (max !== undefined && value > parse(max)) throw refuse(`<= [${max}]`);
  return value;
}

/** @throws illegal_argument unless the text is a 32-bit integer within the limits */
export function parseIntegerSetting(key: string, text: string, limits: Limits): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || value < -(2 ** 31) || value >= 2 ** 31) throw unparsable(key, text);
  return checkNumber(key, text, value, limits);
}

/** @throws illegal_argument unless the text is a decimal number within the limits; NaN and Infinity are not */
export function parseDoubleSetting(key: string, text: string, limits: Limits): number {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) || !Number.isFinite(Number(text))) {
    throw unparsable(key, text);
  }
  return checkNumber(key, text, Number(text), limits);
}

/** Only the two words, as in OpenSearch: 1, 0, yes and no are refused. */
export function parseBooleanSetting(text: string): boolean {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw illegal(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
}

/**
 * A time with a unit, in milliseconds; 0 needs none. Units in any case but `m`: OpenSearch reads `M` as months.
 * @throws illegal_argument also for fractions and negative times
 */
export function parseTimeSetting(key: string, text: string, limits: Limits): number {
  const value = readTime(key, text);
  return checkQuantity(key, text, value, limits, (limit) => readTime(key, limit));
}

function readTime(key: string, text: string): number {
  if (/^0+$/.test(text.trim())) return 0;
  const match = /^([+-]?(?:\d+|\d*\.\d+))\s*(nanos|micros|ms|s|m|h|d)$/i.exec(text.trim());
  const unit = match?.[2] === 'M' ? undefined : match?.[2]?.toLowerCase();
  const problem = (what: string) =>
    illegal(`failed to parse setting [${key}] with value [${text}] as a time value: ${what}`);
  if (match?.[1] === undefined || !isKeyOf(timeUnits, unit)) throw problem('unit is missing or unrecognized');
  if (match[1].includes('.')) {
    throw illegal(`failed to parse [${text}], fractional time values are not supported`);
  }
  if (match[1].startsWith('-')) throw problem('negative durations are not supported');
  const value = Number(match[1]) * timeUnits[unit];
  if (value > Number.MAX_SAFE_INTEGER) throw problem('it is too long');
  return value;
}

/**
 * Plain milliseconds, as the original service has it, or a time with a unit, as its documentation prints it.
 * `limits` are in milliseconds.
 */
export function parseMillisSetting(key: string, text: string, limits: Limits): number {
  if (/^[+-]?\d+$/.test(text)) return checkNumber(key, text, Number(text), limits);
  const inMs: Limits = {
    ...(limits.min === undefined ? {} : { min: `${limits.min}ms` }),
    ...(limits.max === undefined ? {} : { max: `${limits.max}ms` }),
  };
  return parseTimeSetting(key, text, inMs);
}

/** A size with a unit (b, kb, mb, gb, tb, pb or their first letters, in any case), in bytes; 0 needs none. */
export function parseBytesSetting(key: string, text: string, limits: Limits): number {
  const value = readBytes(key, text);
  return checkQuantity(key, text, value, limits, (limit) => readBytes(key, limit));
}

function readBytes(key: string, text: string): number {
  if (text.trim() === '0') return 0;
  const match = /^(\S+?)\s*([kmgtp]b?|b)$/i.exec(text.trim());
  const unit = match?.[2]?.toLowerCase();
  if (match?.[1] === undefined || !isKeyOf(byteUnits, unit)) {
    throw illegal(
      `failed to parse setting [${key}] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
    );
  }
  if (/^\d*\.\d+$/.test(match[1])) {
    throw illegal(
      `Failed to parse bytes value [${text}]. Use non-fractional bytes values instead: found for setting [${key}]`,
    );
  }
  if (!/^[+-]?\d+$/.test(match[1])) throw unparsable(key, text);
  const value = Number(match[1]) * byteUnits[unit];
  if (!Number.isSafeInteger(value)) throw unparsable(key, text);
  return value;
}

/** One of some words, in any case. @param refused words with an error text of their own */
export function parseEnumSetting<V extends string>(
  key: string,
  text: string,
  values: readonly V[],
  refused: Readonly<Record<string, string>> = {},
): V {
  const word = text.trim().toLowerCase();
  const value = values.find((candidate) => candidate === word);
  if (value !== undefined) return value;
  const reason = ownValue(refused, word);
  throw illegal(
    reason ?? `Failed to parse value [${text}] for setting [${key}] must be one of [${values.join(', ')}]`,
  );
}

const readIndexSettings = createParser('index settings', IndexSettingsSchema);

/** A JSON object whose keys start with `index.`; blank text means none. */
export function parseIndexSettings(key: string, text: string): IndexSettings {
  if (text.trim() === '') return {};
  let settings: IndexSettings;
  try {
    settings = readIndexSettings(JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AoscError(
      'illegal_argument',
      `Failed to parse value [${shorten(text)}] for setting [${key}] must be a JSON object of index settings: ${shorten(reason)}`,
      { cause },
    );
  }
  const foreign = Object.keys(settings).find((name) => !name.startsWith('index.'));
  if (foreign !== undefined)
    throw illegal(`transient_target_settings keys must start with 'index.', got '${shorten(foreign)}'`);
  return settings;
}

function isKeyOf<T extends object>(table: T, key: string | undefined): key is Extract<keyof T, string> {
  return key !== undefined && Object.hasOwn(table, key);
}
