import { isObject, type MigrationRecord, shorten } from '@aosc/contract';
import { hashOfRouting } from '../routing/murmur3';

/** A field that source and target map in different ways. */
export type MappingDrift = NonNullable<MigrationRecord['mappingDrift']>[number];

/** Definitions of fields as JSON with sorted keys, by the fields' paths. */
export type FieldTexts = ReadonlyMap<string, string>;

/** OpenSearch publishes a new field before it indexes the document that brings it, so no gap shows that document yet. */
const bringMs = 1000;

const root = '(root)';
const longestText = 200;

/** Takes the mapping of an index apart: each object or field has an entry without its sub-fields. */
export function readFields(mapping: unknown): FieldTexts {
  const fields = new Map<string, string>();
  addField(fields, '', mapping);
  return fields;
}

function addField(fields: Map<string, string>, path: string, definition: unknown): void {
  if (!isObject(definition)) return;
  // `_meta` says nothing of documents or queries.
  const { properties, fields: subFields, _meta, ...own } = definition;
  fields.set(path === '' ? root : path, JSON.stringify(sorted(own)));
  for (const inner of [properties, subFields]) {
    if (!isObject(inner)) continue;
    for (const [name, each] of Object.entries(inner)) {
      addField(fields, path === '' ? name : `${path}.${name}`, each);
    }
  }
}

/** The same value with the keys of its objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}

/** One mark for each difference; the mark changes when either side changes the field. */
export function markDifferences(source: FieldTexts, target: FieldTexts): readonly string[] {
  return [...source].flatMap(([field, text]) => {
    const other = target.get(field);
    return other === text ? [] : [markOf(field, text, other)];
  });
}

function markOf(field: string, source: string, target: string | undefined): string {
  return (hashOfRouting(JSON.stringify([field, source, target])) >>> 0).toString(36);
}

/**
 * Fields of the source that the target maps in another way now, but not when the marks were made. A migration may exist
 * for the differences of that moment.
 * @param withMissing also those that the target lacks: while documents are copied, it gets them with the documents
 */
export function findDrift(
  source: FieldTexts,
  target: FieldTexts,
  marks: readonly string[],
  withMissing: boolean,
): readonly MappingDrift[] {
  const known = new Set(marks);
  return [...source].flatMap(([field, text]) => {
    const other = target.get(field);
    if (other === text || known.has(markOf(field, text, other))) return [];
    if (other === undefined) return withMissing ? [{ field, source: shorten(text, longestText) }] : [];
    return [{ field, source: shorten(text, longestText), target: shorten(other, longestText) }];
  });
}

/**
 * From when on a snapshot of the source has the documents that brought the fields of its mapping; epoch milliseconds.
 * A clock that was set back since the service saw the mapping would make the wait as long as it was ahead: then 0.
 */
export function fieldsIndexedBy(
  { mappingsSeen: { sinceMillis = 0 } = {} }: { readonly mappingsSeen?: { readonly sinceMillis?: number } },
  nowMillis: number,
): number {
  return sinceMillis > nowMillis ? 0 : sinceMillis + bringMs;
}
