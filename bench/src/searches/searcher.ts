import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type HttpClient } from '@aosc/testkit';
import { listWords } from '../dataset';
import { readField } from '../fields';
import { makeSearch, type SearchKind, searchKinds } from './queries';

/** One search and what came of it. */
export interface Search {
  readonly kind: SearchKind;
  /** from sending it to the last byte of its answer */
  readonly latencyMs: number;
  /** not answered in whole: refused, timed out, or some shard failed */
  readonly failed: boolean;
}

export interface SearcherOptions {
  readonly http: HttpClient;
  /** index or alias */
  readonly index: string;
  /** how many search at once */
  readonly clients: number;
  /** what each waits between an answer and its next search */
  readonly pauseMs: number;
  /** of the dataset */
  readonly documents: number;
  /** the same seed asks the same searches in the same order */
  readonly seed: number;
  /** ends it; searches under way are waited for, and count */
  readonly until: AbortSignal;
}

/** Searches in a closed loop: each client takes its kinds in turn, and asks again a pause after it was answered. */
export async function search(options: SearcherOptions): Promise<readonly Search[]> {
  const { clients, documents, seed } = options;
  const dataset = { documents, words: listWords() };
  const each = Array.from({ length: clients }, (_, client) =>
    searchAlone(options, dataset, seed + client, client),
  );
  return (await Promise.all(each)).flat();
}

async function searchAlone(
  { http, index, pauseMs, until }: SearcherOptions,
  dataset: Parameters<typeof makeSearch>[2],
  seed: number,
  client: number,
): Promise<readonly Search[]> {
  const random = createRandom(seed);
  const searches: Search[] = [];
  // Not all of them begin with the same kind.
  for (let turn = client; !until.aborted; turn += 1) {
    const kind = searchKinds[turn % searchKinds.length] ?? 'term';
    const body = JSON.stringify(makeSearch(kind, random, dataset));
    const begin = performance.now();
    const answer = await http
      .send({ method: 'POST', path: `/${index}/_search?request_cache=false`, body })
      .catch(() => undefined);
    const latencyMs = performance.now() - begin;
    searches.push({ kind, latencyMs, failed: answer?.status !== 200 || !isWhole(answer.body) });
    await sleep(pauseMs, undefined, { signal: until }).catch(() => undefined);
  }
  return searches;
}

function isWhole(body: Buffer): boolean {
  const answer: unknown = JSON.parse(body.toString('utf8'));
  return readField(answer, 'timed_out') === false && readField(readField(answer, '_shards'), 'failed') === 0;
}
