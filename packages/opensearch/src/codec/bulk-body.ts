import { wrapperField } from '@aosc/domain';
import type { BulkItem, BulkTransform, RawDocument } from '@aosc/engine';
import { takeLargeBuffer } from '../client/large-buffers';
import { Byte } from './json-cursor';
import { toOneLine } from './one-line';
import { PageDocument } from './page-document';
import { plainSource, wrapperHead } from './wrap-source';

const part = {
  id: Buffer.from('{"index":{"_id":'),
  version: Buffer.from(',"version":'),
  versionType: Buffer.from(',"version_type":"external_gte"'),
  routing: Buffer.from(',"routing":'),
  end: Buffer.from('}}\n'),
};
/** Bytes of the fixed parts of an index line, a generous version number and the line breaks. */
const lineOverhead = 128;
/** The same for a wrapper, with a shard and a time. */
const wrapperOverhead = 192;
/** Below this length a loop copies faster than a call of the runtime. */
const shortCopy = 48;

/**
 * Composes the NDJSON body of a bulk in one buffer and copies each source once. It copies tokens exactly as they came
 * from the wire.
 * @param transform its pipeline gets each document in a wrapper, which also holds what it must not change
 */
export function composeBulkBody(items: readonly BulkItem[], transform?: BulkTransform): Buffer {
  let bound = 0;
  for (const item of items) bound += longest(item, transform !== undefined);
  const body = takeLargeBuffer(bound);
  let at = 0;
  for (const item of items) {
    if (item.kind === 'delete') at += body.write(deleteLine(item), at, 'utf8');
    else if (transform !== undefined) at = writeWrapped(body, at, item.document, transform);
    else if (item.document instanceof PageDocument) at = writePageDocument(body, at, item.document);
    else at = writeDocument(body, at, item.document);
  }
  // Node.js silently cuts copies off at the buffer's end.
  if (at > bound) throw new RangeError(`a bulk of ${at} bytes does not fit into ${bound}`);
  return body.subarray(0, at);
}

function longest(item: BulkItem, isWrapped: boolean): number {
  // One UTF-16 unit takes at most three bytes.
  if (item.kind === 'delete') return 3 * deleteLine(item).length;
  const { document } = item;
  if (document instanceof PageDocument && !isWrapped) return lineOverhead + document.size;
  const { idToken, routingToken, source } = document;
  const identity = 3 * (idToken.length + (routingToken?.length ?? 0));
  return lineOverhead + source.length + (isWrapped ? wrapperOverhead + 2 * identity : identity);
}

function writePageDocument(body: Buffer, from: number, document: PageDocument): number {
  const { bytes, hasLineBreaks } = document.page;
  let at = copy(part.id, 0, part.id.length, body, from);
  at = copy(bytes, document.idStart, document.idEnd, body, at);
  at = copy(part.version, 0, part.version.length, body, at);
  at = copy(bytes, document.versionStart, document.versionEnd, body, at);
  at = copy(part.versionType, 0, part.versionType.length, body, at);
  if (document.routingStart !== -1) {
    at = copy(part.routing, 0, part.routing.length, body, at);
    at = copy(bytes, document.routingStart, document.routingEnd, body, at);
  }
  at = copy(part.end, 0, part.end.length, body, at);
  if (hasLineBreaks) return writeSource(body, at, document);
  at = copy(bytes, document.sourceStart, document.sourceEnd, body, at);
  body[at] = Byte.lineFeed;
  return at + 1;
}

function writeDocument(body: Buffer, from: number, document: RawDocument): number {
  return writeSource(body, from + body.write(actionLine(document), from, 'utf8'), document);
}

function writeWrapped(body: Buffer, from: number, document: RawDocument, transform: BulkTransform): number {
  let at = from + body.write(headOf(document, transform), from, 'utf8');
  const source = plainSource(document);
  body.set(source, at);
  at += source.length;
  return at + body.write('}\n', at, 'latin1');
}

/** Everything before the source, for a pipeline that expects the document in a wrapper. */
function headOf(document: RawDocument, { shard, nowMillis }: BulkTransform): string {
  const { idToken: id, routingToken: routing, version } = document;
  const own = `"${wrapperField}":{"id":${id},"version":${version}${routing === undefined ? '' : `,"routing":${routing}`}},"_now":${nowMillis},`;
  return actionLine(document) + wrapperHead(shard, own);
}

function actionLine({ idToken, routingToken, version }: RawDocument): string {
  const routing = routingToken === undefined ? '' : `,"routing":${routingToken}`;
  return `{"index":{"_id":${idToken},"version":${version},"version_type":"external_gte"${routing}}}\n`;
}

function writeSource(body: Buffer, from: number, document: RawDocument): number {
  const source = toOneLine(document.source);
  body.set(source, from);
  body[from + source.length] = Byte.lineFeed;
  return from + source.length + 1;
}

function copy(source: Buffer, start: number, end: number, body: Buffer, at: number): number {
  if (end - start > shortCopy) source.copy(body, at, start, end);
  else for (let i = start, to = at; i < end; i += 1, to += 1) body[to] = source[i] ?? 0;
  return at + end - start;
}

/** No version: a delete with an external one creates the index when the alias is missing. */
function deleteLine(item: BulkItem & { kind: 'delete' }): string {
  const { key, seqNo, primaryTerm } = item;
  return `${JSON.stringify({
    delete: { _id: key.id, routing: key.routing, if_seq_no: seqNo, if_primary_term: primaryTerm },
  })}\n`;
}
