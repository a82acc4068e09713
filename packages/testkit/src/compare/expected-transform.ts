import type { StoredDocument } from './read-documents';

type JsonObject = Record<string, unknown>;

interface ParsedDocument {
  readonly id: string;
  readonly routing: string | undefined;
  readonly source: JsonObject;
}

/** What a transform must make of a document, in the test's own words. It may change the source it is given. */
export type ExpectedTransform = (document: ParsedDocument) => ParsedDocument;

/** The document as the target must hold it. */
export function asTransformed(document: StoredDocument, transform: ExpectedTransform): StoredDocument {
  const { id, routing, source } = transform({ ...document, source: parse(document.source) });
  return { id, routing, version: document.version, source: Buffer.from(JSON.stringify(source)) };
}

/** Keys in one order, numbers as values: what is left when a source is parsed and written again. */
export function canonicalSource(source: Buffer): Buffer {
  return Buffer.from(JSON.stringify(sorted(parse(source))));
}

function parse(source: Buffer): JsonObject {
  const value: unknown = JSON.parse(source.toString('utf8'));
  if (!isObject(value)) throw new Error('a source is no object');
  return value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
