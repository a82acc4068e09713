import type { Call } from '../../ports/call';
import type { ShardCopy } from '../../ports/index-state-port';
import type { SnapshotPort } from '../../ports/snapshot-port';
import type { ShardContext } from '../context';

/**
 * A snapshot whose id got lost on its way can be closed by nobody, and one whose cluster can't be reached just then not
 * either: it lives this long, until it is known to be of use.
 */
const openingKeepAliveMs = 30_000;

/** How long a snapshot lives until it is known to be of use, in milliseconds. */
export function keepAliveAtOpening({ snapshotKeepAliveMs }: ShardContext['timing']): number {
  return Math.min(openingKeepAliveMs, snapshotKeepAliveMs);
}

/**
 * Opens a point in time on a copy. A shutdown waits for its id: without it the snapshot could be closed by nobody, and would
 * hold its shard's lock until it expires.
 * @param call nothing is opened any more when its signal has fired
 * @param kill ends the opening itself
 */
export async function openOnCopy(
  snapshots: Pick<SnapshotPort, 'open'>,
  copy: ShardCopy,
  timing: ShardContext['timing'],
  call: Call,
  kill: AbortSignal,
): Promise<string> {
  call.signal.throwIfAborted();
  return snapshots.open(copy, keepAliveAtOpening(timing), { ...call, signal: kill });
}
