import { isObject, type Schema } from '../../schema/check-schema';
import type { ApiDocument } from '../../schema/openapi-document';

/** The properties of a named schema, in its order. */
export function propertiesOf(document: ApiDocument | undefined, name: string): ReadonlyMap<string, Schema> {
  const properties = document?.schema(name)?.['properties'];
  if (document === undefined || !isObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([key, schema]) =>
      isObject(schema) ? [[key, document.resolve(schema)] as const] : [],
    ),
  );
}

/** What a schema says of a value, for people: the range and the default. */
export function describeRange(schema: Schema): string {
  const { minimum, maximum, default: fallback } = schema;
  return [
    ...(typeof minimum === 'number' ? [`at least ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER / 1001
      ? [`at most ${maximum}`]
      : []),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ].join(', ');
}
