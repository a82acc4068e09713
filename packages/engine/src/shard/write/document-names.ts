import type { DocumentKey, RawDocument, TransformedDocument } from '../../ports/documents';
import type { BulkItem } from '../../ports/write-port';

/** Identity of a document, decoded from the tokens of the wire. */
export function keyOf(document: RawDocument): DocumentKey {
  return {
    id: parseToken(document.idToken),
    routing: document.routingToken === undefined ? undefined : parseToken(document.routingToken),
  };
}

function parseToken(token: string): string {
  // A shortcut, because every document that is copied passes here, and few keys have anything to unescape.
  if (!token.includes('\\')) return token.slice(1, -1);
  const value: unknown = JSON.parse(token);
  if (typeof value !== 'string') throw new TypeError('a document id or routing is not a JSON string');
  return value;
}

/** How an error message names a document; a transformed document by its ids in source and target. */
export function describeId(document: RawDocument | TransformedDocument | undefined): string {
  if (document === undefined) return '?';
  const { id } = keyOf(document);
  return 'origin' in document ? `[${keyOf(document.origin).id}] (target id [${id}])` : `[${id}]`;
}

/** The id in the source: a script may have given the document another id in the target. */
export function sourceIdOf(document: RawDocument | TransformedDocument): string {
  return keyOf('origin' in document ? document.origin : document).id;
}

/** How an error message names an item of a bulk. */
export function describeItem(item: BulkItem | undefined): string {
  if (item === undefined) return '?';
  return item.kind === 'index' ? describeId(item.document) : `[${item.key.id}]`;
}

export function idOf(item: BulkItem | undefined): string | undefined {
  return item?.kind === 'index' ? keyOf(item.document).id : item?.key.id;
}
