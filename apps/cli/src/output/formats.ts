import { stringify } from 'yaml';
import { toJson } from './text';

/** What `-o` takes. `wide`: lines for people, with columns that the usual ones have no place for. */
export const formats = ['json', 'yaml', 'wide'] as const;
export type Format = (typeof formats)[number] | 'text';

/** A value for programs. @returns undefined for formats that are lines for people */
export function formatValue(format: Format, value: unknown): string | undefined {
  if (format === 'json') return `${toJson(value, 2)}\n`;
  return format === 'yaml' ? toYaml(value) : undefined;
}

/** The same for one of many values: JSON in a line, YAML as a document. */
export function formatItem(format: Format, value: unknown): string | undefined {
  if (format === 'json') return `${toJson(value)}\n`;
  return format === 'yaml' ? `---\n${toYaml(value)}` : undefined;
}

/** `aliasDuplicateObjects`: an anchor would claim that two equal parts are one. */
const toYaml = (value: unknown): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, defaultStringType: 'PLAIN' });
