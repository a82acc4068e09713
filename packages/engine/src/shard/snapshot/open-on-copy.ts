import type { Snapshot } from '@aosc/contract';
import type { Call } from '../../ports/call';
import type { ShardCopy } from '../../ports/index-state-port';
import type { SnapshotPort } from '../../ports/snapshot-port';
import type { ShardContext } from '../context';
import type { ShardSession } from '../session/shard-session';

/**
 * A snapshot that no record names lives only this long after each read: if its worker dies, no other worker can close
 * it. Once a record names the snapshot, the next read gives it the full keep-alive. If the worker dies before this
 * read, the next owner extends the snapshot before its claim (`keepSnapshots`).
 */
const unrecordedKeepAliveMs = 30_000;

/** The keep-alive of a snapshot that no record names, in milliseconds. */
export function unrecordedKeepAlive({ snapshotKeepAliveMs }: ShardContext['timing']): number {
  return Math.min(unrecordedKeepAliveMs, snapshotKeepAliveMs);
}

/** How long a snapshot of the source lives after a read of this job, in milliseconds. */
export function keepAliveOf(
  { context, record }: Pick<ShardSession, 'context' | 'record'>,
  { pitId }: Pick<Snapshot, 'pitId'>,
): number {
  const isRecorded = record.snapshot?.pitId === pitId || record.nextSnapshot?.pitId === pitId;
  return isRecorded ? context.timing.snapshotKeepAliveMs : unrecordedKeepAlive(context.timing);
}

/**
 * Opens a point in time on a copy. A shutdown waits for its id: without the id no request could close the point in
 * time, which holds its shard's lock until it expires.
 * @param call nothing is opened any more when its signal has fired
 * @param kill aborts an opening that has begun
 */
export async function openOnCopy(
  snapshots: Pick<SnapshotPort, 'open'>,
  copy: ShardCopy,
  timing: ShardContext['timing'],
  call: Call,
  kill: AbortSignal,
): Promise<string> {
  call.signal.throwIfAborted();
  return snapshots.open(copy, unrecordedKeepAlive(timing), { ...call, signal: kill });
}
