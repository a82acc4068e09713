import type { HttpRequest } from '../http/http-client';
import { eachElement, eachMember, endOfValue, skipBlanks, textOf } from '../raw-json';
import type { Operation } from './operation';

/** One operation's part of an answer, read without rounding `_version`. */
export interface ItemAnswer {
  readonly status: number;
  readonly index: string | undefined;
  readonly result: string | undefined;
  readonly version: string | undefined;
  readonly seqNo: number | undefined;
  readonly primaryTerm: number | undefined;
  /** the whole document after a partial update */
  readonly source: Buffer | undefined;
  readonly errorType: string | undefined;
  readonly errorReason: string | undefined;
}

/** One `_bulk` request through the alias. */
export function bulkRequest(alias: string, operations: readonly Operation[]): HttpRequest {
  const lines: string[] = [];
  for (const { verb, id, routing, body, externalVersion } of operations) {
    const fields = [`"_id":${JSON.stringify(id)}`];
    if (routing !== undefined) fields.push(`"routing":${JSON.stringify(routing)}`);
    if (externalVersion !== undefined) fields.push(`"version":${externalVersion},"version_type":"external"`);
    if (verb === 'update') fields.push('"_source":true');
    lines.push(`{"${verb}":{${fields.join(',')}}}`);
    if (body !== undefined) lines.push(verb === 'update' ? `{"doc":${body}}` : body);
  }
  return {
    method: 'POST',
    path: `/${encodeURIComponent(alias)}/_bulk`,
    contentType: 'application/x-ndjson',
    body: `${lines.join('\n')}\n`,
  };
}

/** The same operation as a request of its own. */
export function singleRequest(alias: string, operation: Operation): HttpRequest {
  const { verb, id, routing, body, externalVersion } = operation;
  const query = new URLSearchParams();
  if (routing !== undefined) query.set('routing', routing);
  if (externalVersion !== undefined) {
    query.set('version', String(externalVersion));
    query.set('version_type', 'external');
  }
  if (verb === 'update') query.set('_source', 'true');
  const endpoint = verb === 'update' ? '_update' : '_doc';
  const path = `/${encodeURIComponent(alias)}/${endpoint}/${encodeURIComponent(id)}?${query.toString()}`;
  if (body === undefined) return { method: 'DELETE', path };
  return verb === 'update'
    ? { method: 'POST', path, body: `{"doc":${body}}` }
    : { method: 'PUT', path, body };
}

/** The items of a `_bulk` answer, in the order of its operations. */
export function readBulkAnswer(bytes: Buffer): ItemAnswer[] {
  const items: ItemAnswer[] = [];
  const readItem = (start: number): number =>
    eachMember(bytes, start, (_verb, at) => {
      const end = endOfValue(bytes, at);
      items.push(readItemAnswer(bytes.subarray(at, end)));
      return end;
    });
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) =>
    key === 'items' ? eachElement(bytes, start, readItem) : endOfValue(bytes, start),
  );
  return items;
}

/** @param httpStatus stands in where the answer itself names no status */
export function readItemAnswer(bytes: Buffer, httpStatus = 0): ItemAnswer {
  const texts = new Map<string, string>();
  let source: Buffer | undefined;
  const keepText =
    (prefix: string) =>
    (key: string, start: number): number => {
      const end = endOfValue(bytes, start);
      const isString = bytes[start] === 0x22;
      texts.set(
        prefix + key,
        isString ? textOf(bytes, start, end) : bytes.toString('latin1', start, Math.min(end, start + 64)),
      );
      return end;
    };
  const keepMember = keepText('');
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) => {
    if (key === 'error' && bytes[start] === 0x7b) return eachMember(bytes, start, keepText('error.'));
    if (key !== 'get') return keepMember(key, start);
    return eachMember(bytes, start, (name, at) => {
      const end = endOfValue(bytes, at);
      if (name === '_source') source = bytes.subarray(at, end);
      return end;
    });
  });
  const numberOf = (key: string): number | undefined => (texts.has(key) ? Number(texts.get(key)) : undefined);
  return {
    status: numberOf('status') ?? httpStatus,
    index: texts.get('_index'),
    result: texts.get('result'),
    version: texts.get('_version'),
    seqNo: numberOf('_seq_no'),
    primaryTerm: numberOf('_primary_term'),
    source,
    errorType: texts.get('error.type'),
    errorReason: texts.get('error.reason'),
  };
}
