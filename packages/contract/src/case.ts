import type { Static, TSchema } from '@sinclair/typebox';

/**
 * The border between JSON's snake_case and TypeScript's camelCase: nothing else in the project renames keys.
 * Only the keys of described objects are renamed; the keys of maps (settings, shard numbers, a user's query)
 * are data and stay as they are.
 */
type CamelKey<K> = K extends `${infer A}_${infer B}` ? `${A}${Capitalize<CamelKey<B> & string>}` : K;
type Camel<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly Camel<E>[]
    : unknown extends T
      ? T
      : string extends keyof T
        ? { readonly [K in keyof T]: Camel<T[K]> }
        : { readonly [K in keyof T as CamelKey<K>]: Camel<T[K]> };
export type CamelStatic<S extends TSchema> = Camel<Static<S>>;

const toCamelKey = (key: string): string => key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase());

interface SchemaShape {
  properties?: Record<string, SchemaShape>;
  patternProperties?: Record<string, SchemaShape>;
  items?: SchemaShape;
}

interface Property {
  readonly snake: string;
  readonly camel: string;
  readonly schema: SchemaShape;
}

/**
 * The keys of a schema, in both cases. A status of 200 shards has ten thousand of them: computed each time, they took
 * most of the time of the answer.
 */
const known = new WeakMap<SchemaShape, readonly Property[]>();

function propertiesOf(owner: SchemaShape, properties: Readonly<Record<string, SchemaShape>>) {
  const before = known.get(owner);
  if (before !== undefined) return before;
  const made = Object.entries(properties).map(([snake, schema]) => ({
    snake,
    camel: toCamelKey(snake),
    schema,
  }));
  known.set(owner, made);
  return made;
}

function rename(schema: SchemaShape | undefined, value: unknown, keyOf: 'camel' | 'snake'): unknown {
  if (schema === undefined || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => rename(schema.items, item, keyOf));
  const source = value as Record<string, unknown>;
  if (schema.properties !== undefined) {
    const renamed: Record<string, unknown> = {};
    for (const { snake, camel, schema: inner } of propertiesOf(schema, schema.properties)) {
      // eslint-disable-next-line aosc/no-record-lookup -- names of the schema, and this runs for each field of a status
      const found = source[keyOf === 'camel' ? snake : camel];
      // eslint-disable-next-line aosc/no-record-lookup -- the same
      if (found !== undefined) renamed[keyOf === 'camel' ? camel : snake] = rename(inner, found, keyOf);
    }
    return renamed;
  }
  const entrySchema = schema.patternProperties && Object.values(schema.patternProperties)[0];
  if (entrySchema === undefined) return value;
  return Object.fromEntries(Object.entries(source).map(([k, v]) => [k, rename(entrySchema, v, keyOf)]));
}

/** Renames the keys of a value that has been validated against `schema`. Unknown keys are dropped. */
export function fromWire<S extends TSchema>(schema: S, value: Static<S>): CamelStatic<S> {
  return rename(schema as SchemaShape, value, 'camel') as CamelStatic<S>;
}

/** The inverse of {@link fromWire}. Keys whose value is undefined are left out. */
export function toWire<S extends TSchema>(schema: S, value: CamelStatic<S>): Static<S> {
  return rename(schema as SchemaShape, value, 'snake');
}
