import type { ShardRecord, Snapshot } from '@aosc/contract';
import { missingRuns, notedGap, opaqueId, withGap } from '@aosc/domain';
import { ignoreClusterErrors, isClusterError } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import type { ShardContext } from '../context';
import { readPrimaryCheckpoint } from '../snapshot/source-look';
import { gapOf, hasWholeSnapshot, isRoundDue, restOf } from './replay-need';

/** The longest rest of a shard, in milliseconds, while a missing node may hold one of its writes. */
const absenceRestMs = 2000;

/**
 * Looks at a converged shard that no job owns. Where no round is due, this extends the snapshot and notes the gap.
 * Neither needs a claim, because neither harms a job that claims the shard at the same moment. So a shard at rest costs
 * little: a part of requests that all shards of the process share, and a write when its gap has changed.
 * @returns how long the shard goes on resting, in milliseconds; undefined: there may be work for an owner
 * @throws the signal's reason
 */
export async function lookAtResting(
  context: ShardContext,
  known: Stored<ShardRecord>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { clock, source, timing, migration, shard } = context;
  const { record } = known;
  if (!isAtRest(record)) return undefined;
  const started = clock.monotonic();
  try {
    const [now, absence] = await Promise.all([
      readPrimaryCheckpoint(context, signal),
      lookForAbsence(context, record, signal),
    ]);
    if (absence === 'over') return undefined;
    if (now.state !== 'STARTED' || isRoundDue(context, record, now)) return undefined;
    await source.snapshots.extend(record.snapshot.pitId, timing.snapshotKeepAliveMs, {
      signal,
      opaqueId: opaqueId(migration.key, shard, record.writer.epoch),
    });
    const gap = gapOf(record.snapshot, now);
    await noteGap(context, known, { gap, targetSeqNo: now.globalCheckpoint }, signal);
    const restMs = restOf(context, record, gap, clock.monotonic() - started);
    return absence === 'none' ? restMs : Math.min(restMs, absenceRestMs);
  } catch (error) {
    signal.throwIfAborted();
    // The next owner of the shard tries again, and repairs what is lost.
    if (isClusterError(error)) return undefined;
    throw error;
  }
}

/**
 * A node that has left may hold a write of this shard. A process knows the length of the absence only if it goes on
 * looking. When the node counts as dead (`over`), the next owner takes it out of the record. Otherwise the last round
 * would wait for the node under the write block.
 */
async function lookForAbsence(
  { nodes }: ShardContext,
  { writer }: ShardRecord,
  signal: AbortSignal,
): Promise<'none' | 'going on' | 'over'> {
  const known = writer.nodes ?? [];
  const members = await nodes.members(known, { signal });
  const missing = missingRuns(known, members);
  if (missing.length === 0) return 'none';
  const kept = new Set(nodes.note(writer, members).nodes);
  return missing.every((run) => kept.has(run)) ? 'going on' : 'over';
}

/**
 * Whether the shard has no owner, and needs none. Its fence must be ready, too: only an owner can drain the older
 * epochs, and the last round would have to wait for this drain under the write block.
 */
function isAtRest(record: ShardRecord): record is ShardRecord & { readonly snapshot: Snapshot } {
  const { phase, writer, repairIds, uncheckedKeysFrom } = record;
  const isAlone = writer.owner === undefined && writer.fenceReady;
  const isDone = repairIds === undefined && uncheckedKeysFrom === undefined;
  return phase === 'CONVERGED' && isAlone && isDone && hasWholeSnapshot(record);
}

/**
 * Writes the gap if it has changed. A write that fails is left out: the next look notes the gap, or the shard's next
 * owner.
 */
async function noteGap(
  { store }: ShardContext,
  stored: Stored<ShardRecord>,
  { gap, targetSeqNo }: { readonly gap: number; readonly targetSeqNo: number },
  signal: AbortSignal,
): Promise<void> {
  const noted = withGap(stored.record, gap);
  if (notedGap(noted) === notedGap(stored.record)) return;
  await store.replaceShard(stored, { ...noted, targetSeqNo }, { signal }).catch(ignoreClusterErrors);
}
