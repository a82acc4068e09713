import { callRaw } from '../http/call-json';
import type { HttpClient } from '../http/http-client';
import { eachElement, eachMember, endOfValue, skipBlanks, textOf } from '../raw-json';
import { type IndexSnapshot, keepAlive, type ShardSnapshot } from './index-snapshot';

/** A document as a search answer shows it. `source` is a view into the answer: use it at once or copy it. */
export interface StoredDocument {
  readonly id: string;
  readonly routing: string | undefined;
  /** text, because it can exceed 2^53 */
  readonly version: string;
  /** only the value's bytes, without what stood around it */
  readonly source: Buffer;
}

const firstPageSize = 100;
const largestPageSize = 10_000;
const pageBytes = 8 * 2 ** 20;

/**
 * Visits every document of a snapshot once, shard after shard, up to `concurrency` shards at a time.
 * @throws when a read was partial, or when fewer or more documents came than the snapshot holds
 */
export async function eachDocument(
  http: HttpClient,
  snapshot: IndexSnapshot,
  concurrency: number,
  visit: (document: StoredDocument) => void,
  signal?: AbortSignal,
): Promise<void> {
  const waiting = [...snapshot.shards];
  const readShards = async (): Promise<void> => {
    for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift()) {
      const seen = await readShard(http, shard, visit, signal);
      if (seen !== shard.documents) {
        throw new Error(`${snapshot.index}: read ${seen} of ${shard.documents} documents of a shard`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, readShards));
}

async function readShard(
  http: HttpClient,
  shard: ShardSnapshot,
  visit: (document: StoredDocument) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let size = firstPageSize;
  let after: string | undefined;
  let seen = 0;
  while (seen < shard.documents) {
    // a point in time of one shard has one order of documents, and `_doc` is a position in it
    const body =
      `{"size":${size},"version":true,"track_total_hits":false,"sort":["_doc"],` +
      `"pit":{"id":"${shard.pitId}","keep_alive":"${keepAlive}"}` +
      `${after === undefined ? '' : `,"search_after":${after}`}}`;
    const path = '/_search?allow_partial_search_results=false';
    const bytes = await callRaw(http, { method: 'POST', path, body, signal });
    const page = readPage(bytes, visit);
    seen += page.documents;
    if (page.documents < size) break;
    after = page.lastSort;
    const bytesEach = bytes.length / page.documents;
    size = Math.max(1, Math.min(largestPageSize, Math.floor(pageBytes / bytesEach)));
  }
  return seen;
}

interface PageEnd {
  documents: number;
  /** raw JSON of the last document's sort values */
  lastSort: string | undefined;
}

/** Visits the hits of a search answer. @throws unless every shard answered, completely and in time */
function readPage(bytes: Buffer, visit: (document: StoredDocument) => void): PageEnd {
  const page: PageEnd = { documents: 0, lastSort: undefined };
  let timedOut = 'missing';
  let failed = 'missing';
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) => {
    if (key === 'timed_out') timedOut = bytes.toString('latin1', start, endOfValue(bytes, start));
    if (key === '_shards') {
      return eachMember(bytes, start, (name, at) => {
        if (name === 'failed') failed = bytes.toString('latin1', at, endOfValue(bytes, at));
        return endOfValue(bytes, at);
      });
    }
    if (key !== 'hits') return endOfValue(bytes, start);
    return eachMember(bytes, start, (name, at) =>
      name === 'hits'
        ? eachElement(bytes, at, (hit) => readHit(bytes, hit, page, visit))
        : endOfValue(bytes, at),
    );
  });
  if (timedOut !== 'false' || failed !== '0') throw new Error('a search answer was not complete');
  return page;
}

function readHit(
  bytes: Buffer,
  from: number,
  page: PageEnd,
  visit: (document: StoredDocument) => void,
): number {
  let id: string | undefined;
  let routing: string | undefined;
  let version: string | undefined;
  let source: Buffer | undefined;
  const end = eachMember(bytes, from, (key, start) => {
    const valueEnd = endOfValue(bytes, start);
    if (key === '_id') id = textOf(bytes, start, valueEnd);
    else if (key === '_routing') routing = textOf(bytes, start, valueEnd);
    else if (key === '_version') version = bytes.toString('latin1', start, valueEnd);
    else if (key === '_source') source = bytes.subarray(start, valueEnd);
    else if (key === 'sort') page.lastSort = bytes.toString('latin1', start, valueEnd);
    return valueEnd;
  });
  if (id === undefined || version === undefined || source === undefined) {
    throw new Error(`a hit without _id, _version or _source: ${bytes.toString('utf8', from, from + 200)}`);
  }
  page.documents += 1;
  visit({ id, routing, version, source });
  return end;
}
