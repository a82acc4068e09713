import { isClusterError } from '../../ports/cluster-error';
import type { IndexRouting, PrimaryCheckpoint, PrimaryRouting } from '../../ports/index-state-port';
import type { ShardContext } from '../context';
import { describeOtherCluster } from '../../cluster/other-cluster';
import { ShardFailedError } from '../errors';

export type SourceReader = Pick<ShardContext, 'source' | 'migration' | 'shard'>;

/** @throws ShardFailedError when the source was deleted, made again, closed, or is another cluster's */
export async function readPrimaryRouting(
  context: SourceReader,
  signal: AbortSignal,
): Promise<PrimaryRouting> {
  return primaryIn(await readSourceRouting(context, signal), context.shard);
}

/** @throws ShardFailedError when there is no such shard */
export function primaryIn({ primaries }: IndexRouting, shard: number): PrimaryRouting {
  const primary = primaries.find((candidate) => candidate.shard === shard);
  if (primary === undefined)
    throw new ShardFailedError(`Source shard [${shard}] is not in the routing table`);
  return primary;
}

/** @throws ShardFailedError as {@link readPrimaryRouting} does */
async function readSourceRouting(context: SourceReader, signal: AbortSignal): Promise<IndexRouting> {
  const { source, migration } = context;
  const index = await source.state.readRouting({ signal }).catch((error: unknown) => {
    if (isClusterError(error, 'not_found')) {
      throw new ShardFailedError(`Source index [${migration.sourceIndex}] no longer exists`, {
        cause: error,
      });
    }
    throw error;
  });
  if (index.clusterUuid !== migration.clusterUuid) {
    throw new ShardFailedError(describeOtherCluster(migration.clusterUuid, index.clusterUuid));
  }
  if (index.indexUuid !== migration.sourceUuid) {
    throw new ShardFailedError(
      `Source index [${migration.sourceIndex}] was deleted and made again: its uuid is no longer the one the migration started with`,
    );
  }
  if (!index.open) throw new ShardFailedError(`Source index [${migration.sourceIndex}] was closed`);
  return index;
}

/** The state and the numbers of the primary, by its own answer; UNASSIGNED and -1 if no primary answers. */
export async function readPrimaryCheckpoint(
  context: SourceReader,
  signal: AbortSignal,
): Promise<PrimaryCheckpoint> {
  const all = await context.source.state.readCheckpoints({ signal });
  const own = all.find((candidate) => candidate.shard === context.shard);
  // A primary that is starting or moving is not in the statistics: the caller asks again.
  return own ?? unassignedCheckpoint(context.shard);
}

/**
 * The routing of the source now, with the checkpoint that this shard's primary has answered.
 * @throws ShardFailedError when the index is not the one the migration started with
 */
export async function lookAtSource(context: SourceReader, signal: AbortSignal) {
  const [routing, checkpoint] = await Promise.all([
    readSourceRouting(context, signal),
    readSyncedCheckpoint(context, signal),
  ]);
  return { routing, checkpoint };
}
/** What this process knows of the source before it opens a snapshot. */
export type SourceLook = Awaited<ReturnType<typeof lookAtSource>>;

/**
 * Asks cluster and primary side by side, because applications wait under the write block. A primary that loses its
 * place between the two answers may still report its global checkpoint. That checkpoint is valid all the same: a
 * primary raises it only as far as every copy that could succeed it has come (`ReplicationTracker` takes the least of
 * all copies in sync).
 */
export async function lookAtPrimary(context: SourceReader, signal: AbortSignal) {
  const [primary, checkpoint] = await Promise.all([
    readPrimaryRouting(context, signal),
    readPrimaryCheckpoint(context, signal),
  ]);
  return { primary, checkpoint };
}
/** What the cluster's state says of the primary, and what the primary says of itself. */
export type PrimaryLook = Awaited<ReturnType<typeof lookAtPrimary>>;

/**
 * With `translog.durability: async` checkpoints move only on a sync or a flush. Without this flush the gap might never
 * fall below the threshold, and every round would replay the same operations again.
 */
async function readSyncedCheckpoint(context: SourceReader, signal: AbortSignal): Promise<PrimaryCheckpoint> {
  const checkpoint = await readPrimaryCheckpoint(context, signal);
  const behind = checkpoint.maxSeqNo - checkpoint.globalCheckpoint;
  if (behind <= context.migration.options.convergenceThresholdPerShard) return checkpoint;
  await context.source.state.flush({ signal });
  return readPrimaryCheckpoint(context, signal);
}

function unassignedCheckpoint(shard: number): PrimaryCheckpoint {
  return {
    shard,
    nodeId: '',
    state: 'UNASSIGNED',
    copiesAnswered: 0,
    maxSeqNo: -1,
    globalCheckpoint: -1,
    historyUuid: '',
  };
}
