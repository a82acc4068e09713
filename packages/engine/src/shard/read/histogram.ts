import type { SeqNoHistogram } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { Selection } from '../../ports/snapshot-port';
import type { ShardSession } from '../session/shard-session';
import { onSnapshot } from './on-snapshot';
import { keepAliveOf } from '../snapshot/open-on-copy';

/** Documents per bucket of `_seq_no`. */
export async function readHistogram(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
  interval: number,
): Promise<SeqNoHistogram> {
  const counts = await onSnapshot(session, (call) =>
    session.context.source.snapshots.histogram(
      {
        pitId: snapshot.pitId,
        keepAliveMs: keepAliveOf(session, snapshot),
        selection,
        interval,
      },
      call,
    ),
  );
  return { interval, counts };
}
