import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isCloseForBlock, nodeIdOf, type NodeRun, runsOf } from '@aosc/domain';
import { isRunning } from '../../cluster/primaries';
import type { IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import { instead, isClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import { missingShard, type StepContext } from '../step/context';
import { describeLagging, lookAtCopies } from './lagging-copies';
import { countWorkers } from '../step/count-workers';
import { isAlive } from '../step/shard-jobs';
import { forgetLostNodes } from './forget-lost-nodes';
import { findBlockedIndex } from './index-blocks';
import { findMissingIngest } from './missing-ingest';

/**
 * A gap of so many operations lengthens the block by next to nothing. So the cutover does not wait for a smaller gap,
 * even if the operator's threshold is smaller (0 is legal).
 */
const harmlessGap = 500;
/** How long a look keeps a snapshot open at least: a longer keep-alive that a worker has given it stays. */
const keepAliveMs = 30_000;

export interface Obstacle {
  readonly text: string;
  /** what an operator can do about it */
  readonly remedy: string;
}

export interface ObstacleLook {
  readonly obstacle: Obstacle | undefined;
  /** the obstacle is that no worker takes jobs, or that Redis does not say whether one does */
  readonly lacksWorkers: boolean;
  /** shards that one more round before the write block would bring closer to the source */
  readonly behind: readonly ShardRecord[];
  /** shards whose copies lack operations, however few */
  readonly lacking: readonly ShardRecord[];
  readonly shards: readonly ShardRecord[];
}

const lookAtPrimary = 'bring the primary back: _cluster/allocation/explain says what it lacks';
const letItMove = 'it is being moved or recovered: _cat/recovery shows how far it is';
const letRoundsRun = 'the next rounds take care of it, and more workers make them faster';
const speedUp = 'start more workers, or lower the write rate';

/**
 * Looks for what would make the write block last long:
 * - no worker takes jobs
 * - another client has blocked one of the indices
 * - a primary of the target is away, or no node runs the transform
 * - the cluster does not say what some copies of the target show to searches
 * - a node that may hold a write of ours is away
 * - a shard's record is missing, its snapshot was lost, or the shard has not converged
 * - an owner has left a round half done
 * - a gap is too large
 * - a primary of the source is missing, or moves, so that no look can read its final checkpoint
 * - a primary is not where its snapshot was taken, so that the last round would compare the whole shard
 *
 * Each gap is counted up to the source's current highest `_seq_no`, because the gaps in the records show an earlier
 * moment.
 * @returns the first obstacle in the order of the code; of the shards' own obstacles, the one with the largest gap
 */
export async function lookForObstacle(context: StepContext, record: MigrationRecord): Promise<ObstacleLook> {
  const { signal } = context;
  // Redis may take seconds to answer, and the gaps grow in that time. So this asks Redis first, and reads the gaps
  // afterwards.
  const missingWorkers = await findMissingWorkers(context);
  const [checkpoints, shards, { members }, source, target, inTarget, withoutIngest] = await Promise.all([
    context.source.state.readCheckpoints({ signal }),
    context.store.readShards(record.key, record.sourceShardCount, { signal }),
    context.target.cluster.readView(undefined, { signal }),
    context.source.state.describe({ signal }),
    context.target.state.describe({ signal }),
    // Later steps report that there is no target.
    context.target.state.readRouting({ signal }).catch(instead(undefined, isIndexMissing)),
    findMissingIngest(context, record),
  ]);
  const stoppedBy = (obstacle: Obstacle): ObstacleLook => ({
    obstacle,
    lacksWorkers: obstacle === missingWorkers,
    behind: [],
    lacking: [],
    shards: shards.map(({ record: shard }) => shard),
  });
  if (missingWorkers !== undefined) return stoppedBy(missingWorkers);
  const blocked =
    findBlockedIndex(record, source, target) ??
    describeTargetPrimary(inTarget) ??
    withoutIngest ??
    (await findDoubtfulCopies(context, inTarget));
  if (blocked !== undefined) return stoppedBy(blocked);
  // `named` also has the nodes of quiet shards. The last round of a quiet shard sends bulks, and then the cutover would
  // wait for the shard's nodes under the block.
  const named = runsOf(shards.map((stored) => stored.record));
  const { awaited, lost } = context.nodes.judge(named, members);
  if (awaited.length > 0) return stoppedBy(describeAway(awaited, context.nodes.waitMs));
  if (await forgetLostNodes(context, shards, lost, members)) return stoppedBy(describeLeft(lost));
  const missing = missingShard(record, shards);
  if (missing !== undefined) return stoppedBy(describeMissing(missing));
  const far = shards.find(({ record: shard }) => shard.phase !== 'CONVERGED');
  if (far !== undefined) return stoppedBy(describeFar(far.record));
  const left = shards.find((stored) => isLeftHalfDone(context, stored));
  if (left !== undefined) return stoppedBy(describeHalfDone(left.record));
  const { convergenceThresholdPerShard: threshold } = record.options;
  const bound = Math.max(threshold, harmlessGap);
  const looks = shards.map(({ record: shard }) => {
    const now = checkpoints.find((checkpoint) => checkpoint.shard === shard.shard);
    return lookAtShard(shard, now, bound);
  });
  const worst = looks.toSorted((a, b) => b.gap - a.gap)[0];
  return {
    obstacle: worst?.obstacle,
    lacksWorkers: false,
    behind: looks
      .filter(({ gap }) => gap < Infinity && !isCloseForBlock(gap, threshold))
      .map(({ shard }) => shard),
    lacking: looks.filter(({ gap }) => gap > 0).map(({ shard }) => shard),
    shards: looks.map(({ shard }) => shard),
  };
}

/**
 * Looks whether the snapshots of shards at rest are still there. No job reads from these snapshots, so only the last
 * round would find a loss (the node restarted, the snapshot expired, a client closed it). That round would then copy
 * the shard again and compare all of it with the target, under the block. This also extends the life of the snapshots
 * that are there.
 * @returns shards whose snapshots are gone
 */
export async function findLostSnapshots(
  { source, store, signal }: StepContext,
  shards: readonly ShardRecord[],
): Promise<readonly number[]> {
  const looks = shards.map(async ({ key, shard, snapshot }) => {
    if (snapshot === undefined) return [];
    try {
      await source.snapshots.extend(snapshot.pitId, keepAliveMs, { signal });
      return [];
    } catch (error) {
      if (!isClusterError(error, 'snapshot_lost')) throw error;
      // If a round has ended since the caller read the record, that round has closed this snapshot, and the record has
      // a new one. If a worker has recorded the loss, the record has no snapshot, or the snapshot of a new copy that is
      // not yet compared (`sweepPending`).
      const now = await store.readShard(key, shard, { signal });
      const { snapshot: next, sweepPending = true } = now?.record ?? {};
      const isReplaced = next !== undefined && next.pitId !== snapshot.pitId && !sweepPending;
      return isReplaced ? [] : [shard];
    }
  });
  return (await Promise.all(looks)).flat();
}

export function describeLost(lost: readonly number[]): Obstacle {
  return { text: `shard [${lost.join('], [')}]: its snapshot was lost`, remedy: letRoundsRun };
}

/**
 * Looks whether a worker takes jobs. Without a worker no last round runs, and applications would wait until the time
 * limit of hold or block.
 */
export async function findMissingWorkers({ liveness, log }: StepContext): Promise<Obstacle | undefined> {
  if (liveness === undefined) return undefined;
  const workers = await countWorkers(liveness, log);
  if (workers === undefined) {
    return {
      text: 'Redis does not say whether a worker takes jobs',
      remedy: 'bring Redis back: the last rounds go through it',
    };
  }
  return workers > 0 ? undefined : { text: 'no worker takes jobs', remedy: 'start one' };
}

/**
 * Finds a primary of the target that is not started. A target that was green may have lost a primary that has no other
 * copy.
 */
function describeTargetPrimary(routing: IndexRouting | undefined): Obstacle | undefined {
  const away = routing?.primaries.find((primary) => !isRunning(primary));
  if (away === undefined) return undefined;
  return { text: `shard [${away.shard}] of the target: its primary is ${away.state}`, remedy: lookAtPrimary };
}

/**
 * Finds copies that serve searches, and of which the cluster does not say what they show. The swap would wait for such
 * a copy under the block. A copy that is behind is no obstacle, because that is usual while documents are written.
 */
async function findDoubtfulCopies(
  { target, signal }: StepContext,
  routing: IndexRouting | undefined,
): Promise<Obstacle | undefined> {
  if (routing === undefined || routing.replication === 'documents') return undefined;
  const lagging = await target.state.findLaggingCopies({ signal });
  const doubtful = lagging.filter(({ state }) => state !== 'behind');
  return doubtful.length === 0 ? undefined : { text: describeLagging(doubtful), remedy: lookAtCopies };
}

/**
 * Whether the last owner has left a takeover or a round half done. Under the block the next owner would have to finish
 * that before the last round. A living owner is no obstacle, because CUTTING_OVER waits for its round.
 */
function isLeftHalfDone(context: StepContext, stored: Stored<ShardRecord>): boolean {
  const { writer, nextSnapshot } = stored.record;
  if (writer.owner !== undefined) return !isAlive(context, stored);
  return !writer.fenceReady || nextSnapshot !== undefined;
}

function describeMissing(shard: number): Obstacle {
  return {
    text: `shard [${shard}]: its record in .aosc-migrations is missing`,
    remedy: 'cancel the migration, and start it again into an empty target',
  };
}

/**
 * An undo has brought the shard back, or a primary has lost the shard's newer record. Under the block no job would take
 * the shard.
 */
function describeFar({ shard, phase }: ShardRecord): Obstacle {
  return { text: `shard [${shard}]: it is in ${phase}`, remedy: letRoundsRun };
}

function describeHalfDone({ shard, writer }: ShardRecord): Obstacle {
  const left = writer.owner === undefined ? 'has left a round half done' : 'shows no life';
  return { text: `shard [${shard}]: its last owner ${left}`, remedy: letRoundsRun };
}

function describeAway(awaited: readonly NodeRun[], waitMs: number): Obstacle {
  return {
    text: `node [${awaited.map(nodeIdOf).join('], [')}] has left the cluster and may hold a write of ours`,
    remedy: `it is waited for until it is back, or was gone for ${waitMs} ms (AOSC_LOST_NODE_WAIT_MS)`,
  };
}

/**
 * This obstacle ends by itself: the shard's next owner waits for bulks that the node may hold, or the next look takes
 * the node out of the record.
 */
function describeLeft(lost: readonly NodeRun[]): Obstacle {
  return {
    text: `node [${lost.map(nodeIdOf).join('], [')}] counts as dead, and the record of a shard still names it`,
    remedy: letRoundsRun,
  };
}

interface ShardLook {
  readonly shard: ShardRecord;
  /** in operations */
  readonly gap: number;
  readonly obstacle: Obstacle | undefined;
}

function lookAtShard(shard: ShardRecord, now: PrimaryCheckpoint | undefined, bound: number): ShardLook {
  const name = `shard [${shard.shard}]`;
  const blocked = (what: string, remedy: string): ShardLook => ({
    shard,
    gap: Infinity,
    obstacle: { text: `${name}: ${what}`, remedy },
  });
  const { snapshot } = shard;
  if (now === undefined) return blocked('its primary is missing', lookAtPrimary);
  if (now.state !== 'STARTED') return blocked(`its primary is ${now.state}`, letItMove);
  if (snapshot === undefined || shard.sweepPending) return blocked('its snapshot was lost', letRoundsRun);
  if (snapshot.nodeId !== now.nodeId || snapshot.historyUuid !== now.historyUuid) {
    return blocked('its primary has moved', letRoundsRun);
  }
  const gap = now.maxSeqNo - Math.max(snapshot.maxSeqNo, snapshot.checkpoint);
  if (gap <= bound) return { shard, gap, obstacle: undefined };
  const text = `${name}: ${gap} operations behind, ${bound} are allowed`;
  return { shard, gap, obstacle: { text, remedy: speedUp } };
}
