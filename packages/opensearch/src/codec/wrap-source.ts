import type { RawDocument } from '@aosc/engine';
import { isSpace } from './json-cursor';
import { toOneLine } from './one-line';

const closing = Buffer.from('}');

/**
 * A document as its transform sees it: `{"op": "index", …, "_source": {…}}`. The wrapper also has the other members
 * that the original service offers in `ctx`: `op_type` and `source_shard_id`.
 */
export function wrapSource(document: RawDocument, shard: number): readonly Uint8Array[] {
  return [Buffer.from(wrapperHead(shard)), plainSource(document), closing];
}

/**
 * Everything before the source.
 * @param own further members, each with a comma behind it
 */
export function wrapperHead(shard: number, own = ''): string {
  return `{${own}"op":"index","op_type":"index","source_shard_id":${shard},"_source":`;
}

/** The source on one line. A byte order mark is not allowed inside another object. */
export function plainSource(document: RawDocument): Uint8Array {
  const source = toOneLine(document.source);
  let start = 0;
  while (isSpace(source[start])) start += 1;
  const marked = source[start] === 0xef && source[start + 1] === 0xbb && source[start + 2] === 0xbf;
  return marked ? source.subarray(start + 3) : source;
}
