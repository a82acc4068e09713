import type { BulkItem } from '@aosc/engine';
import { Byte } from './json-cursor';
import { toOneLine } from './one-line';

/** Bytes of the fixed parts of an index line, a generous version number and the line breaks. */
const lineOverhead = 128;

/**
 * Composes the NDJSON body of a bulk into one buffer, each source copied once. Tokens are pasted as they came
 * from the wire.
 */
export function composeBulkBody(items: readonly BulkItem[]): Buffer {
  const sources: (Uint8Array | undefined)[] = [];
  let bound = 0;
  for (const item of items) {
    if (item.kind === 'index') {
      const { document } = item;
      const source = toOneLine(document.source);
      sources.push(source);
      // one UTF-16 unit takes at most three bytes
      bound +=
        3 * (document.idToken.length + (document.routingToken?.length ?? 0)) + source.length + lineOverhead;
    } else {
      sources.push(undefined);
      bound += 3 * deleteLine(item).length;
    }
  }
  const body = Buffer.allocUnsafe(bound);
  let at = 0;
  for (const [index, item] of items.entries()) {
    if (item.kind === 'delete') {
      at += body.write(deleteLine(item), at, 'utf8');
      continue;
    }
    const { idToken, routingToken, version } = item.document;
    const routing = routingToken === undefined ? '' : `,"routing":${routingToken}`;
    at += body.write(
      `{"index":{"_id":${idToken},"version":${version},"version_type":"external_gte"${routing}}}\n`,
      at,
      'utf8',
    );
    const source = sources[index];
    if (source !== undefined) {
      body.set(source, at);
      at += source.length;
    }
    body[at] = Byte.lineFeed;
    at += 1;
  }
  return body.subarray(0, at);
}

/** No version: a delete with an external one creates the index when the alias is missing. */
function deleteLine(item: BulkItem & { kind: 'delete' }): string {
  const { key, seqNo, primaryTerm } = item;
  return `${JSON.stringify({
    delete: { _id: key.id, routing: key.routing, if_seq_no: seqNo, if_primary_term: primaryTerm },
  })}\n`;
}
