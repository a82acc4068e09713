import { setTimeout as sleep } from 'node:timers/promises';
import {
  callJson,
  callRaw,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type HttpClient,
  loadDocuments,
} from '@aosc/testkit';
import { type Dataset, orders } from './dataset';
import { readField, readNumber } from './fields';

export const source = 'orders-v1';
export const target = 'orders-v2';
export const alias = 'orders';

/** What the indices are made from. */
export interface IndexShape {
  readonly documents: number;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** default: {@link orders} */
  readonly dataset?: Dataset;
}

/** Both ways write into an index of these settings: AOSC sets them on the target as well, by its defaults. */
export const fillingSettings = { 'index.refresh_interval': '-1' };
const replicas = 0;
const pollMs = 250;

/** Makes and fills the source. @returns bytes of a document's `_source` on average */
export async function createSource(http: HttpClient, options: IndexShape, signal: AbortSignal) {
  await deleteIndices(http, [source, target]);
  await createSourceIndex(http, { ...shapeOf(options), name: source, shards: options.sourceShards, alias });
  let bytes = 0;
  const measured = function* () {
    for (const document of (options.dataset ?? orders).list(options.documents)) {
      bytes += Buffer.byteLength(document.source);
      yield document;
    }
  };
  await loadDocuments(http, source, measured(), signal);
  return Math.round(bytes / options.documents);
}

/**
 * The same beginning for every run: an empty target, the alias on the source, everything of the source on disk and
 * visible, and no merge running.
 */
export async function reset(http: HttpClient, options: IndexShape, signal: AbortSignal): Promise<void> {
  await deleteIndices(http, [target]);
  await post(http, '/_aliases', { actions: [{ add: { index: source, alias } }] });
  await createTargetIndex(http, {
    ...shapeOf(options),
    name: target,
    shards: options.targetShards,
    settings: fillingSettings,
  });
  await post(http, `/${source}/_flush?force=true&wait_if_ongoing=true`);
  await post(http, `/${source}/_refresh`);
  await untilMerged(http, source, signal);
}

/** Linked files have documents of other shards in them, which merges drop sooner or later: that is a part of what they cost. */
export async function dropDeleted(http: HttpClient, signal: AbortSignal): Promise<void> {
  await post(http, `/${target}/_forcemerge?only_expunge_deletes=true`);
  await untilMerged(http, target, signal);
}

/**
 * A run whose target lacks documents is no measurement. The refresh before the count is a part of what a copy costs the
 * cluster: `_reindex` leaves segments in memory that AOSC has written by its end.
 * @throws Error then
 */
export async function expectFullTarget(http: HttpClient, documents: number): Promise<void> {
  await post(http, `/${target}/_refresh`);
  const count = await callJson(http, (answer) => readNumber(answer, 'count'), 'GET', `/${target}/_count`);
  if (count !== documents) throw new Error(`the target holds ${count} documents of ${documents}`);
}

export async function readVersion(http: HttpClient): Promise<string> {
  return callJson(http, (answer) => String(readField(readField(answer, 'version'), 'number')), 'GET', '/');
}

/** CPU time of all nodes since they began: what a run costs the cluster shows even on a busy machine. */
export async function readClusterCpuSeconds(http: HttpClient): Promise<number> {
  const read = (answer: unknown): number => {
    const nodes = readField(answer, 'nodes');
    if (typeof nodes !== 'object' || nodes === null) throw new Error('node statistics without nodes');
    return Object.values(nodes)
      .map((node) => readNumber(readField(readField(node, 'process'), 'cpu'), 'total_in_millis') / 1000)
      .reduce((sum, seconds) => sum + seconds, 0);
  };
  return callJson(http, read, 'GET', '/_nodes/stats/process');
}

/** A split needs the same number of routing shards on both sides; OpenSearch takes up to 1024. */
export function shapeOf({ sourceShards, targetShards, dataset = orders }: IndexShape) {
  const max = Math.max(sourceShards, targetShards);
  const min = Math.min(sourceShards, targetShards);
  return { mappings: dataset.mappings, replicas, ...(max % min === 0 ? { routingShards: max } : {}) };
}

async function untilMerged(http: HttpClient, index: string, signal: AbortSignal): Promise<void> {
  while ((await countRunningMerges(http, index)) > 0) await sleep(pollMs, undefined, { signal });
}

async function countRunningMerges(http: HttpClient, index: string): Promise<number> {
  const read = (answer: unknown): number => {
    const all = readField(readField(answer, '_all'), 'total');
    return readNumber(readField(all, 'merges'), 'current');
  };
  return callJson(http, read, 'GET', `/${index}/_stats/merge`);
}

async function post(http: HttpClient, path: string, body?: unknown): Promise<void> {
  await callRaw(http, {
    method: 'POST',
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
