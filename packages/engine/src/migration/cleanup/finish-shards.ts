import type { ShardRecord } from '@aosc/contract';
import { completeShard, pitIdsToClose, withSnapshotsGivenUp } from '@aosc/domain';
import { isRunning } from '../../cluster/primaries';
import { isClusterError } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import { retryAllocations } from '../../shard/snapshot/retry-allocations';
import { tryCloseSnapshots } from '../../shard/snapshot/snapshot-lease';
import type { MigrationView, StepContext } from '../step/context';
import { confirmShard } from '../cutover/confirm-shards';
import { closeListed } from './close-listed';

/** Limit of a request to close snapshots before the swap: applications may wait for it. */
const patienceUnderBlockMs = 500;

/**
 * COMPLETING → COMPLETED, after the swap, of all shards that their workers have handed back. Closes the snapshots that
 * these shards still hold. A shard that another process writes at the same moment stays as it is.
 * @returns the phases of all shards afterwards
 */
export async function finishShards(
  context: StepContext,
  { shards }: MigrationView,
): Promise<readonly ShardRecord['phase'][]> {
  const handedBack = shards.filter(({ record }) => isHandedBack(record));
  const ended = await closeListed(context, handedBack.map(giveUpSnapshots), {
    close: (ids) => tryCloseSnapshots(context.source.snapshots, ids),
    toWrite: completeShard,
  });
  const phases = new Map(handedBack.map((stored, at) => [stored, ended[at]?.record.phase]));
  return shards.map((stored) => phases.get(stored) ?? stored.record.phase);
}

/**
 * Closes the snapshots of shards that have had their last rounds, for a cutover that has to wait, or was undone. No
 * worker looks after these snapshots any more, and each keeps its shard's lock. While a snapshot keeps the lock, a
 * failed primary can't come back to its node, and gives up after five tries. A source without one of its primaries
 * can't be counted, and no snapshot of that shard can be opened. Where a transform rewrites ids, a shard's last
 * snapshot stays open while its primary runs: after an undo only that snapshot shows what has left the source since. A
 * failure to close does not stop the work. The request has a short limit, so a node that does not answer does not hold
 * up the caller each time.
 *
 * The records are confirmed first, for two reasons. If the end of a last round is lost with a primary, that round runs
 * again from these snapshots. And in the same step an undo may have brought shards of `view` back to the replay, which
 * goes on from their snapshots.
 */
export async function closeHandedBack(
  context: StepContext,
  { record: { transform }, shards }: MigrationView,
): Promise<void> {
  await tryTo(context, async () => {
    const running =
      transform?.rewritesIdentity === true ? await readRunningPrimaries(context) : new Set<number>();
    const mayClose = (record: ShardRecord): boolean =>
      record.snapshot === undefined || (isHandedBack(record) && !running.has(record.shard));
    const holds = (record: ShardRecord): boolean =>
      mayClose(record) && pitIdsToClose(withSnapshotsGivenUp(record)).length > 0;
    const held = shards.filter(({ record }) => holds(record));
    const known = await Promise.all(held.map((stored) => confirmShard(context, stored, holds)));
    await closeListed(context, known.filter((stored) => stored !== undefined).map(giveUpSnapshots), {
      close: (ids) => tryCloseSnapshots(context.source.snapshots, ids, patienceUnderBlockMs),
    });
  });
}

/** Has the cluster try again to start a primary of the source that used up its tries while a snapshot kept its lock. */
export async function bringPrimariesBack(context: StepContext): Promise<void> {
  const { source, signal } = context;
  await tryTo(context, async () => {
    const { primaries } = await source.state.readRouting({ signal });
    if (primaries.some(({ hasFailed }) => hasFailed)) {
      await retryAllocations(source.cluster, context, signal);
    }
  });
}

async function readRunningPrimaries({ source, signal }: StepContext): Promise<ReadonlySet<number>> {
  const { primaries } = await source.state.readRouting({ signal });
  return new Set(primaries.filter(isRunning).map(({ shard }) => shard));
}

function giveUpSnapshots(stored: Stored<ShardRecord>): Stored<ShardRecord> {
  return { ...stored, record: withSnapshotsGivenUp(stored.record) };
}

/**
 * Whether the shard is the scheduler's to finish. In this phase a worker of an earlier version still owns its shard,
 * and closes the snapshots itself.
 */
function isHandedBack({ phase, writer }: ShardRecord): boolean {
  return phase === 'COMPLETING' && writer.owner === undefined;
}

async function tryTo({ log }: StepContext, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isClusterError(error)) throw error;
    log.warn('close_failed', 'what the shards hold is tried to be closed again', { reason: error.message });
  }
}
