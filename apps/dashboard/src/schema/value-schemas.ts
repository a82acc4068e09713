import { isObject } from '../api/is-object';

/** What `/openapi.json` says of one value: an option of a start, or a setting. */
export interface ValueSchema {
  readonly description: string;
  /** JSON types, the first one is the value's own */
  readonly types: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** as a text */
  readonly fallback?: string;
  /** all that it may be */
  readonly choices?: readonly string[];
}
export type ValueSchemas = ReadonlyMap<string, ValueSchema>;

export interface Schemas {
  readonly options: ValueSchemas;
  readonly settings: ValueSchemas;
}

/** The schemas that the API judges requests by. @param document of `/openapi.json` */
export function schemasOf(document: unknown): Schemas {
  const named = (name: string) => at(document, 'components', 'schemas', name, 'properties');
  return {
    options: readAll(named('MigrationOptions')),
    settings: readAll(at(named('SettingsRequest'), 'persistent', 'properties')),
  };
}

function readAll(properties: unknown): ValueSchemas {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return new Map(entries.flatMap(([name, schema]) => (isObject(schema) ? [[name, readOne(schema)]] : [])));
}

function readOne(schema: Readonly<Record<string, unknown>>): ValueSchema {
  const { description, type, minimum, maximum, default: fallback, enum: only, examples = only } = schema;
  return {
    description: typeof description === 'string' ? description : '',
    types: [type].flat().filter((each) => typeof each === 'string'),
    ...(typeof minimum === 'number' && { minimum }),
    // JavaScript's largest exact number is not a limit that a user needs to see.
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER / 1001 && { maximum }),
    ...(fallback !== undefined && {
      fallback: typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
    }),
    ...(Array.isArray(examples) && { choices: examples.map(String) }),
  };
}

/** What is wrong with a text as a value; undefined: the page sees nothing wrong. */
export function problemOf(text: string, schema: ValueSchema | undefined): string | undefined {
  const [type] = schema?.types ?? [];
  if (text.trim() === '' || schema === undefined) return undefined;
  if (schema.choices !== undefined && !schema.choices.includes(text))
    return `must be one of ${schema.choices.join(', ')}`;
  if (type === 'boolean') return /^(?:true|false)$/.test(text) ? undefined : 'must be true or false';
  if (type === 'array') return Array.isArray(parseJson(text)) ? undefined : 'is not a JSON list';
  if (type === 'object') return isObject(parseJson(text)) ? undefined : 'is not a JSON object';
  if (type !== 'integer' && type !== 'number') return problemOfUnit(text, schema);
  const number = Number(text);
  if (Number.isNaN(number)) return 'must be a number';
  if (type === 'integer' && !Number.isInteger(number)) return 'must be a whole number';
  if (schema.minimum !== undefined && number < schema.minimum) return `must be at least ${schema.minimum}`;
  return schema.maximum !== undefined && number > schema.maximum
    ? `must be at most ${schema.maximum}`
    : undefined;
}

/** Times and sizes have a unit, which the default shows. */
function problemOfUnit(text: string, { fallback = '' }: ValueSchema): string | undefined {
  if (/^\d+(?:b|kb|mb|gb)$/i.test(fallback)) {
    return /^\d+(?:\.\d+)?(?:b|kb|mb|gb)$/i.test(text) ? undefined : 'must be a size, such as 512kb or 100mb';
  }
  if (/^\d+(?:ms|s|m|h|d)$/.test(fallback)) {
    return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text) ? undefined : 'must be a time, such as 30s or 4h';
  }
  return undefined;
}

/** The range in words. */
export function describeRange({ minimum, maximum }: ValueSchema): string {
  const [least, most] = [minimum, maximum].map((limit) => limit?.toLocaleString('en-US'));
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? '' : `at most ${most}`;
}

/** @returns undefined: it is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(
    (inner: unknown, name) => (isObject(inner) ? new Map(Object.entries(inner)).get(name) : undefined),
    value,
  );
}
