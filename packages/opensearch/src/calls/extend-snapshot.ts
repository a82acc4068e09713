import type { Call } from '@aosc/engine';
import { scanSearchAnswer } from '../codec/search-answer';
import type { AskSnapshot } from './search-snapshot';

/** A search that reads nothing: there is no call that only extends a point in time. */
export async function extendSnapshot(
  ask: AskSnapshot,
  pitId: string,
  keepAliveMs: number,
  call: Call,
): Promise<void> {
  const body = { size: 0, track_total_hits: false, query: { match_none: {} } };
  scanSearchAnswer(await ask({ pitId, keepAliveMs, body }, call), () => undefined);
}
