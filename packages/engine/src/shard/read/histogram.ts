import type { SeqNoHistogram } from '@aosc/domain';
import type { Selection } from '../../ports/snapshot-port';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import type { DocumentView } from './document-view';
import { onSnapshot } from './on-snapshot';
import { keepAliveOf, unrecordedKeepAlive } from '../snapshot/open-on-copy';

/** Documents per bucket of `_seq_no`. @param selection of linked documents: nothing beyond what the view is of */
export async function readHistogram(
  session: ShardSession,
  view: DocumentView,
  selection: Selection,
  interval: number,
): Promise<SeqNoHistogram> {
  const { source, target, timing } = session.context;
  if (view.linked === undefined) {
    const request = { pitId: view.pitId, keepAliveMs: keepAliveOf(session, view), selection, interval };
    return {
      interval,
      counts: await onSnapshot(session, (call) => source.snapshots.histogram(request, call)),
    };
  }
  const counts = new Map<number, number>();
  for (const { pitId } of view.linked) {
    const request = { pitId, keepAliveMs: unrecordedKeepAlive(timing), selection, interval };
    const part = await retryingReads(session, (call) => target.snapshots.histogram(request, call));
    for (const [start, count] of part) counts.set(start, (counts.get(start) ?? 0) + count);
  }
  return { interval, counts };
}
