import { setTimeout as sleep } from 'node:timers/promises';
import { callRaw } from '../http/call-json';
import type { HttpClient } from '../http/http-client';
import { eachElement, eachMember, endOfValue, skipBlanks, textOf } from '../raw-json';

/** A document's key as an application sends it. */
export interface AskedKey {
  readonly id: string;
  readonly routing: string | undefined;
}

/** What `_mget` gives under a key; undefined: nothing. The routing is as a search shows it. */
export type ReadDocument =
  { readonly routing: string | undefined; readonly version: string; readonly source: Buffer } | undefined;

const batchSize = 500;
const maxReads = 20;
const readAgainMs = 250;

/** A primary that is handed from one node to another answers nothing for a moment. */
class NoShardError extends Error {
  override readonly name = 'NoShardError';
}

/**
 * Asks for documents by the keys that an application sends, realtime and on the primary. A search finds what a document's
 * own application may not find: OpenSearch routes by what it is sent, and stores half of a surrogate pair as U+FFFD.
 * @returns an answer for each key, in their order
 */
export async function readByKey(
  http: HttpClient,
  index: string,
  keys: readonly AskedKey[],
  signal?: AbortSignal,
): Promise<ReadDocument[]> {
  const found: ReadDocument[] = [];
  for (let from = 0; from < keys.length; from += batchSize) {
    const batch = keys.slice(from, from + batchSize);
    found.push(...(await readWhenThere(() => readBatch(http, index, batch, signal), signal)));
  }
  return found;
}

async function readWhenThere(
  read: () => Promise<ReadDocument[]>,
  signal: AbortSignal | undefined,
): Promise<ReadDocument[]> {
  for (let reads = 1; ; reads++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof NoShardError) || reads === maxReads) throw error;
      await sleep(readAgainMs, undefined, { signal });
    }
  }
}

async function readBatch(
  http: HttpClient,
  index: string,
  keys: readonly AskedKey[],
  signal: AbortSignal | undefined,
): Promise<ReadDocument[]> {
  const docs = keys.map(({ id, routing }) => ({ _id: id, routing }));
  const path = `/${encodeURIComponent(index)}/_mget?realtime=true&preference=_primary`;
  const body = JSON.stringify({ docs });
  const bytes = await callRaw(http, { method: 'POST', path, body, signal });
  const found: ReadDocument[] = [];
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) =>
    key === 'docs'
      ? eachElement(bytes, start, (at) => readEntry(bytes, at, found))
      : endOfValue(bytes, start),
  );
  if (found.length !== keys.length)
    throw new Error(`_mget: ${found.length} answers for ${keys.length} documents`);
  return found;
}

function readEntry(bytes: Buffer, from: number, list: ReadDocument[]): number {
  const values = new Map<string, Buffer>();
  const end = eachMember(bytes, from, (key, start) => {
    const valueEnd = endOfValue(bytes, start);
    if (key === 'error') throw errorOf(bytes.toString('utf8', start, valueEnd));
    values.set(key, bytes.subarray(start, valueEnd));
    return valueEnd;
  });
  const routing = values.get('_routing');
  const version = values.get('_version');
  const source = values.get('_source');
  if (values.get('found')?.toString('latin1') !== 'true') list.push(undefined);
  else if (version === undefined || source === undefined) throw new Error('_mget: no _version or _source');
  else {
    list.push({
      routing: routing && textOf(routing, 0, routing.length).toWellFormed(),
      version: version.toString('latin1'),
      source,
    });
  }
  return end;
}

function errorOf(text: string): Error {
  const what = `_mget: ${text}`;
  return text.includes('"no_shard_available_action_exception"') ? new NoShardError(what) : new Error(what);
}
