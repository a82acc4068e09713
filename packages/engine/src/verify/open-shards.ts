import { startTicks } from '@aosc/signals';
import { ClusterError } from '../ports/cluster-error';
import type { IndexPorts } from '../ports/index-ports';
import { copyOf, isSamePrimary, readFromPrimaries, type StartedPrimary } from '../cluster/primaries';
import { openOnCopy } from '../shard/snapshot/open-on-copy';
import { tryCloseSnapshots } from '../shard/snapshot/snapshot-lease';
import { retryingReads } from '../shard/session/retrying-reads';
import type { VerifyReader } from './reader';

export interface OpenShard {
  readonly shard: number;
  readonly pitId: string;
  readonly primary: StartedPrimary;
  /** every operation up to this number is visible */
  readonly shown: number;
  /** no operation above this number is visible */
  readonly maxSeqNo: number;
}

/**
 * Points in time on primaries, for as long as `use` reads from them. They are closed when a primary moves or fails,
 * because each keeps the lock of its copy: reads then end with ClusterError 'snapshot_lost'. No record names them:
 * after a worker was killed they expire within half a minute.
 */
export async function withOpenShards<T>(
  reader: VerifyReader,
  index: IndexPorts,
  shards: readonly number[],
  use: (open: readonly OpenShard[]) => Promise<T>,
): Promise<T> {
  const open = await openShards(reader, index, shards);
  const pitIds = open.map(({ pitId }) => pitId);
  const { signal } = reader;
  const look = async (): Promise<void> => {
    const { primaries } = await index.state.readRouting({ signal });
    const isLost = open.some(({ shard, primary }) => {
      const now = ofShard(primaries, shard);
      return now === undefined || now.state !== 'STARTED' || !isSamePrimary(now, primary);
    });
    if (isLost) await tryCloseSnapshots(index.snapshots, pitIds);
    else {
      await Promise.all(pitIds.map((id) => index.snapshots.extend(id, reader.keepAliveMs, { signal })));
    }
  };
  // After a look that fails the reads find out by themselves what is lost.
  const ticks = startTicks(reader.context.timing.heartbeatMs, look, () => undefined);
  try {
    return await use(open);
  } finally {
    ticks.stop();
    await tryCloseSnapshots(index.snapshots, pitIds);
  }
}

function openShards(
  reader: VerifyReader,
  index: IndexPorts,
  shards: readonly number[],
): Promise<readonly OpenShard[]> {
  const { context, signal } = reader;
  return retryingReads(reader.retrying, async (call) => {
    const opened: string[] = [];
    try {
      const found = await readFromPrimaries(index, call, async (primaryOf, { shape }) => {
        const before = await index.state.readCheckpoints(call);
        const tries = await Promise.allSettled(
          shards.map(async (shard) => {
            const primary = primaryOf(shard);
            const copy = copyOf(primary);
            await index.snapshots.refreshCopy(copy, shape, call);
            const pitId = await openOnCopy(index.snapshots, copy, context.timing, call, signal);
            opened.push(pitId);
            return { shard, pitId, primary, shown: ofShard(before, shard)?.globalCheckpoint ?? -1 };
          }),
        );
        // All tries have ended, so `opened` names each point in time that is open, and a failure closes them all.
        return tries.map((each) => {
          if (each.status === 'fulfilled') return each.value;
          throw each.reason;
        });
      });
      const checkpoints = await index.state.readCheckpoints(call);
      return found.map((each) => {
        const checkpoint = ofShard(checkpoints, each.shard);
        if (checkpoint?.nodeId === each.primary.nodeId) return { ...each, maxSeqNo: checkpoint.maxSeqNo };
        throw new ClusterError('transient', `the primary of ${index.index}[${each.shard}] has just moved`);
      });
    } catch (error) {
      await tryCloseSnapshots(index.snapshots, opened);
      throw error;
    }
  });
}

const ofShard = <T extends { readonly shard: number }>(all: readonly T[], shard: number): T | undefined =>
  all.find((each) => each.shard === shard);
