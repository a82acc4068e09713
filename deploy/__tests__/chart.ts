import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/** The chart's folder. */
export const chart = join(__dirname, '../helm/aosc');

export const readChart = (path: string): string => readFileSync(join(chart, path), 'utf8');

const filesOf = (folder: string): readonly string[] => readdirSync(join(chart, folder)).toSorted();

/** Names of the value sets that the chart is tried with. */
export const valueSets = filesOf('ci');

export const templates = filesOf('templates')
  .filter((name) => name !== 'tests')
  .map((name) => ({
    name,
    text: readChart(join('templates', name)),
  }));

type Values = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm lays one set of values over another: maps are merged, null takes a default away. */
function overlay(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])].filter(
    (name) => over[name] !== null,
  );
  return Object.fromEntries(
    names.map((name) => [name, name in over ? overlay(base[name], over[name]) : base[name]]),
  );
}

/** values.yaml, and a set of the folder ci over it. */
export function readValues(set?: string): unknown {
  const defaults: unknown = parse(readChart('values.yaml'));
  if (set === undefined) return defaults;
  const over: unknown = parse(readChart(join('ci', set)));
  return overlay(defaults, over);
}

/** The objects in what Helm has written. */
export function readManifests(text: string): readonly unknown[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((manifest) => manifest !== null);
}
