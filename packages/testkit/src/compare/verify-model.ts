import { setTimeout as sleep } from 'node:timers/promises';
import { callRaw } from '../http/call-json';
import { createHttpClient, type HttpClient } from '../http/http-client';
import type { ModelEntry, WriterModel } from '../model';
import { eachElement, eachMember, endOfValue, skipBlanks, textOf } from '../raw-json';
import { evaluateState } from './evaluate-state';
import { MismatchCollector, type Mismatches } from './mismatches';

export interface VerifyOptions {
  readonly urls: readonly string[];
  /** alias or index */
  readonly index: string;
  /** of writers that are paused or stopped */
  readonly model: WriterModel;
  readonly sampleLimit?: number;
  readonly signal?: AbortSignal;
}

export interface VerificationReport {
  /** documents of the model, deleted ones included */
  readonly documents: number;
  /** documents whose last operation had an unknown outcome: this read settled which one it was */
  readonly uncertain: number;
  readonly mismatches: Mismatches;
}

const batchSize = 500;
const maxReads = 20;
const readAgainMs = 250;

/** A primary that is handed from one node to another answers nothing for a moment. */
class NoShardError extends Error {
  override readonly name = 'NoShardError';
}

/**
 * "No write that OpenSearch acknowledged through the alias is ever missing from what the alias shows": reads each
 * document of the model (realtime, on the primary) and compares presence, routing, version and source bytes
 * with what was acknowledged last.
 */
export async function verifyAgainstModel(options: VerifyOptions): Promise<VerificationReport> {
  const http = createHttpClient(options.urls);
  const mismatches = new MismatchCollector(options.sampleLimit ?? 20);
  const entries = [...options.model.values()];
  try {
    for (let from = 0; from < entries.length; from += batchSize) {
      const batch = entries.slice(from, from + batchSize);
      const found = await readWhenThere(
        () => readBatch(http, options.index, batch, options.signal),
        options.signal,
      );
      batch.forEach((entry, at) => judgeEntry(entry, found[at], mismatches));
    }
  } finally {
    http.close();
  }
  return {
    documents: entries.length,
    uncertain: entries.filter(({ uncertain }) => uncertain).length,
    mismatches: mismatches.result(),
  };
}

interface Found {
  found: boolean;
  routing: string | undefined;
  version: string;
  source: Buffer;
}

function judgeEntry(entry: ModelEntry, found: Found | undefined, mismatches: MismatchCollector): void {
  if (found === undefined) throw new Error(`the answer of _mget has no entry for ${entry.id}`);
  const { id, routing } = entry;
  const mayBeAbsent = entry.acceptable.some((state) => !state.present);
  if (found.found && found.routing !== routing) {
    // a document of the same id under another routing, in the same shard: this one isn't there
    const detail = `routing ${found.routing ?? 'none'} found`;
    if (!mayBeAbsent) mismatches.add(id, routing, { differentRouting: detail });
    return;
  }
  const details = evaluateState(entry, found.found ? found : undefined);
  if (details !== undefined) mismatches.add(id, routing, details);
}

async function readWhenThere(
  read: () => Promise<Found[]>,
  signal: AbortSignal | undefined,
): Promise<Found[]> {
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
  entries: readonly ModelEntry[],
  signal: AbortSignal | undefined,
): Promise<Found[]> {
  const docs = entries.map(({ id, routing }) => (routing === undefined ? { _id: id } : { _id: id, routing }));
  const path = `/${encodeURIComponent(index)}/_mget?realtime=true&preference=_primary`;
  const body = JSON.stringify({ docs });
  const bytes = await callRaw(http, { method: 'POST', path, body, signal });
  const found: Found[] = [];
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) =>
    key === 'docs'
      ? eachElement(bytes, start, (at) => readEntry(bytes, at, found))
      : endOfValue(bytes, start),
  );
  return found;
}

function readEntry(bytes: Buffer, from: number, list: Found[]): number {
  const entry: Found = { found: false, routing: undefined, version: '', source: Buffer.alloc(0) };
  const end = eachMember(bytes, from, (key, start) => {
    const valueEnd = endOfValue(bytes, start);
    if (key === 'error') throw errorOf(bytes.toString('utf8', start, valueEnd));
    if (key === 'found') entry.found = bytes[start] === 0x74;
    else if (key === '_routing') entry.routing = textOf(bytes, start, valueEnd);
    else if (key === '_version') entry.version = bytes.toString('latin1', start, valueEnd);
    else if (key === '_source') entry.source = bytes.subarray(start, valueEnd);
    return valueEnd;
  });
  list.push(entry);
  return end;
}

function errorOf(text: string): Error {
  const what = `_mget: ${text}`;
  return text.includes('"no_shard_available_action_exception"') ? new NoShardError(what) : new Error(what);
}
