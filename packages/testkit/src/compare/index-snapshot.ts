import { callJson } from '../http/call-json';
import type { HttpClient } from '../http/http-client';
import { parseAnything, parsePointInTime, parseRefresh, parseSearchShards, parseTotal } from '../http/shapes';

/** One shard of an index as it was when the snapshot was opened. */
export interface ShardSnapshot {
  readonly pitId: string;
  /** root documents in it */
  readonly documents: number;
}

/** A whole index, refreshed and held still: what is written afterwards is not in it. */
export interface IndexSnapshot {
  readonly index: string;
  readonly shards: readonly ShardSnapshot[];
  readonly documents: number;
  close(): Promise<void>;
}

export const keepAlive = '5m';

/** Refreshes an index and opens a point in time on the primary of each of its shards. */
export async function openIndexSnapshot(
  http: HttpClient,
  index: string,
  signal?: AbortSignal,
): Promise<IndexSnapshot> {
  const name = encodeURIComponent(index);
  const refreshed = await callJson(http, parseRefresh, 'POST', `/${name}/_refresh`, undefined, signal);
  if (refreshed._shards.failed > 0) throw new Error(`refresh of ${index} failed on some shards`);
  const { shards } = await callJson(
    http,
    parseSearchShards,
    'GET',
    `/${name}/_search_shards`,
    undefined,
    signal,
  );

  const pitIds: string[] = [];
  const close = async (): Promise<void> => {
    if (pitIds.length === 0) return;
    await callJson(http, parseAnything, 'DELETE', '/_search/point_in_time', { pit_id: pitIds });
  };
  try {
    const opened: ShardSnapshot[] = [];
    for (let shard = 0; shard < shards.length; shard += 1) {
      const path =
        `/${name}/_search/point_in_time?keep_alive=${keepAlive}&allow_partial_pit_creation=false` +
        `&preference=${encodeURIComponent(`_shards:${shard}|_primary`)}`;
      const pit = await callJson(http, parsePointInTime, 'POST', path, undefined, signal);
      pitIds.push(pit.pit_id);
      if (pit._shards.total !== 1 || pit._shards.failed > 0) {
        throw new Error(`the point in time of shard ${shard} of ${index} is not on one shard`);
      }
      opened.push({ pitId: pit.pit_id, documents: await countDocuments(http, pit.pit_id, signal) });
    }
    const documents = opened.reduce((sum, shard) => sum + shard.documents, 0);
    return { index, shards: opened, documents, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function countDocuments(http: HttpClient, pitId: string, signal?: AbortSignal): Promise<number> {
  const answer = await callJson(
    http,
    parseTotal,
    'POST',
    '/_search?allow_partial_search_results=false',
    { size: 0, track_total_hits: true, pit: { id: pitId, keep_alive: keepAlive } },
    signal,
  );
  return answer.hits.total.value;
}
