import { readFileSync } from 'node:fs';
import { describeLostDecimal, findLostDecimal } from '@aosc/contract';
import { UsageError } from '../failure';

/** `name=value`; a value that is `null` gives the setting its default. @throws UsageError */
export function readPair(pair: string): [string, string | null] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`[${pair}]: expected name=value`);
  const value = pair.slice(at + 1);
  return [pair.slice(0, at), value === 'null' ? null : value];
}

/** Settings of an index by their full names: OpenSearch also takes them without `index.`. */
export function withPrefixes<T>(settings: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.startsWith('index.') ? name : `index.${name}`,
      value,
    ]),
  );
}

const maxBytes = 1024 * 1024;

/** A text, or with `@` in front the file that has it. @throws UsageError */
export function readText(flag: string, value: string): string {
  if (!value.startsWith('@')) return value;
  const path = value.slice(1);
  try {
    const content = readFileSync(path);
    if (content.length > maxBytes) throw new UsageError(`${flag}: ${path} is larger than 1 MiB`);
    return content.toString('utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${flag}: ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A JSON object, or with `@` in front the file that has it. @throws UsageError */
export function readObject(flag: string, value: string): Readonly<Record<string, unknown>> {
  return parseObject(flag, readText(flag, value));
}

function parseObject(flag: string, text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`${flag} is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`${flag} is no JSON object`);
  }
  return parsed as Readonly<Record<string, unknown>>;
}

/** The same for a script's parameters, where an integer and a decimal differ. @throws UsageError */
export function readParams(flag: string, value: string): Readonly<Record<string, unknown>> {
  const text = readText(flag, value);
  const params = parseObject(flag, text);
  const lost = findLostDecimal(text);
  if (lost !== undefined) throw new UsageError(describeLostDecimal(flag, lost));
  return params;
}
