import {
  type IndexSettings,
  parseBooleanSetting,
  parseBytesSetting,
  parseDoubleSetting,
  parseEnumSetting,
  parseIndexSettings,
  parseIntegerSetting,
  parseMillisSetting,
  parseTimeSetting,
  refuseLongText,
  settingText,
} from './setting-values';
import { type SettingDefinition, type SettingKey, settingsTable } from './settings-table';

type ValueOf<D> = D extends { type: 'boolean' }
  ? boolean
  : D extends { type: 'json-object' }
    ? IndexSettings
    : D extends { type: 'enum'; values: readonly (infer V)[] }
      ? V
      : number;

/** A parsed value: times in milliseconds, sizes in bytes. */
export type SettingValueOf<K extends SettingKey> = ValueOf<(typeof settingsTable)[K]>;

/**
 * Parses and checks one value of a setting. `null` (back to the default) is the caller's to handle.
 * @param value number, boolean, text, or (for a json-object setting) an object
 * @throws AoscError illegal_argument, in OpenSearch's words
 */
export function parseSetting<K extends SettingKey>(key: K, value: unknown): SettingValueOf<K> {
  // The table's row decides the type; TypeScript can't follow a union of rows through a switch.
  return parseByDefinition(key, settingsTable[key], settingText(value)) as SettingValueOf<K>;
}

function parseByDefinition(key: string, definition: SettingDefinition, text: string) {
  if (definition.type !== 'json-object') refuseLongText(key, text);
  switch (definition.type) {
    case 'int':
      return parseIntegerSetting(key, text, definition);
    case 'double':
      return parseDoubleSetting(key, text, definition);
    case 'time':
      return parseTimeSetting(key, text, definition);
    case 'millis':
      return parseMillisSetting(key, text, definition);
    case 'bytes':
      return parseBytesSetting(key, text, definition);
    case 'boolean':
      return parseBooleanSetting(text);
    case 'enum':
      return parseEnumSetting(key, text, definition.values, definition.refused);
    case 'json-object':
      return parseIndexSettings(key, text);
  }
}
