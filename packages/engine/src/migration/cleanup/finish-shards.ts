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

/** Time limit of a request to close snapshots before the swap, because applications may wait for it. */
const patienceUnderBlockMs = 500;

/**
 * Moves all shards that their workers have handed back from COMPLETING to COMPLETED, after the swap, and closes their
 * snapshots. A shard that another process writes at the same moment stays as it is.
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
 * Closes the snapshots of shards that have had their last rounds, when the cutover has to wait, or was undone. No
 * worker looks after these snapshots any more, and each keeps its shard's lock. While a snapshot keeps the lock, a
 * failed primary can't come back to its node, and OpenSearch gives up after five tries. Without that primary the
 * service can neither count the source nor open a snapshot of the shard. If a transform rewrites ids, a shard's last
 * snapshot stays open while its primary runs: after an undo only that snapshot shows what has left the source since. A
 * failure to close is only logged. The request has a short time limit, so that a node that does not answer does not
 * hold up the caller.
 *
 * This first confirms the records, for two reasons. If a primary loses the record of a last round's end, that round
 * runs again from these snapshots. And in the same step an undo may have brought shards of `view` back to the replay,
 * which goes on from their snapshots.
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

/**
 * Asks the cluster to start failed primaries of the source: a snapshot may have kept the lock during all their tries.
 */
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
 * Whether the scheduler may finish the shard. A worker of an earlier version of the service still owns its shard in
 * this phase, and closes the snapshots itself.
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
