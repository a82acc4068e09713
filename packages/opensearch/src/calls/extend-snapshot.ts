import type { Call } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { scanSearchAnswer } from '../codec/search-answer';
import { searchSnapshot } from './search-snapshot';

/** A search that reads nothing: there is no call that only extends a point in time. */
export async function extendSnapshot(
  client: OpenSearchClient,
  pitId: string,
  keepAliveMs: number,
  call: Call,
): Promise<void> {
  const body = { size: 0, track_total_hits: false, query: { match_none: {} } };
  scanSearchAnswer(await searchSnapshot(client, { pitId, keepAliveMs, body }, call), () => undefined);
}
