import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isCloseForBlock, nodeIdOf, type NodeRun } from '@aosc/domain';
import type { IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import { isClusterError, isIndexMissing } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import { missingShard, type StepContext } from '../step/context';
import { describeLagging, lookAtCopies } from './lagging-copies';
import { countWorkers } from '../step/count-workers';
import { isAlive } from '../step/shard-jobs';
import { forgetLostNodes } from './forget-lost-nodes';
import { findBlockedIndex } from './index-blocks';
import { findMissingIngest } from './missing-ingest';

/** A gap up to this costs the block next to nothing: the cutover waits for no smaller threshold (0 is legal). */
const harmlessGap = 500;
/** This does not shorten a longer life that a worker has given to a snapshot. */
const keepAliveMs = 30_000;

export interface Obstacle {
  readonly text: string;
  /** what an operator can do about it */
  readonly remedy: string;
}

export interface ObstacleLook {
  readonly obstacle: Obstacle | undefined;
  /** the obstacle is that no worker takes jobs */
  readonly isUnattended: boolean;
  /** shards that a round would bring closer, before the write block */
  readonly behind: readonly ShardRecord[];
  readonly shards: readonly ShardRecord[];
}

const lookAtPrimary = 'bring the primary back: _cluster/allocation/explain says what it lacks';
const letItMove = 'it is being moved or recovered: _cat/recovery shows how far it is';
const letRoundsRun = 'the next rounds take care of it, and more workers make them faster';
const speedUp = 'start more workers, or lower the write rate';

/**
 * What would make the write block last: no worker takes jobs, another client has blocked one of the indices, no node of
 * the target runs transforms, copies of the target don't say what they show, a node that may hold a write of ours is
 * away, a shard has not converged, an owner has left a round half done, a gap is too large, a primary moves (no look
 * can read its final checkpoint), or a primary is not where its snapshot was taken (the last round would compare the
 * whole shard). The look asks the source itself.
 * @returns the worst obstacle
 */
export async function lookForObstacle(context: StepContext, record: MigrationRecord): Promise<ObstacleLook> {
  const { signal } = context;
  // Asked before the gaps are read: Redis may take seconds to answer, in which they would grow.
  const nobody = await findNobody(context);
  const [checkpoints, shards, { members }, source, target, inTarget, withoutIngest] = await Promise.all([
    context.source.state.readCheckpoints({ signal }),
    context.store.readShards(record.key, record.sourceShardCount, { signal }),
    context.target.cluster.readView(undefined, { signal }),
    context.source.state.describe({ signal }),
    context.target.state.describe({ signal }),
    readTargetRouting(context),
    findMissingIngest(context, record),
  ]);
  const stoppedBy = (obstacle: Obstacle): ObstacleLook => ({
    obstacle,
    isUnattended: obstacle === nobody,
    behind: [],
    shards: shards.map(({ record: shard }) => shard),
  });
  if (nobody !== undefined) return stoppedBy(nobody);
  const blocked =
    findBlockedIndex(record, source, target) ??
    describeTargetPrimary(inTarget) ??
    withoutIngest ??
    (await findDoubtfulCopies(context, inTarget));
  if (blocked !== undefined) return stoppedBy(blocked);
  // Also the nodes that a quiet shard names: after its last round the shard is quiet no more, and the cutover would
  // wait for them under the block.
  const named = new Set(shards.flatMap(({ record: shard }) => shard.writer.nodes ?? []));
  const { awaited, lost } = context.nodes.judge([...named], members);
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
    isUnattended: false,
    behind: looks
      .filter(({ gap }) => gap < Infinity && !isCloseForBlock(gap, threshold))
      .map(({ shard }) => shard),
    shards: looks.map(({ shard }) => shard),
  };
}

/**
 * No job reads from the snapshot of a shard at rest. So the last round would find its loss (a restart of the node, an
 * expiry, a client that closed it), and would copy and sweep the shard under the block.
 * @returns shards whose snapshots are gone; the expiry of all others is pushed away
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
      // A round that has ended since the record was read has closed the old snapshot itself, and left a new one. If a
      // worker has recorded the loss meanwhile, the record has no snapshot, or that of a copy that is not compared yet.
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

/** Without a worker no last round runs: applications would be blocked until the block's time is over, for nothing. */
export async function findNobody({ liveness, log }: StepContext): Promise<Obstacle | undefined> {
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

/** @returns undefined when there is no target: what comes next finds that out */
async function readTargetRouting({
  target,
  signal,
}: Pick<StepContext, 'target' | 'signal'>): Promise<IndexRouting | undefined> {
  try {
    return await target.state.readRouting({ signal });
  } catch (error) {
    if (isIndexMissing(error)) return undefined;
    throw error;
  }
}

/** A target that was green may have lost a primary since, without a copy that could take its place. */
function describeTargetPrimary(routing: IndexRouting | undefined): Obstacle | undefined {
  const away = routing?.primaries.find(({ state }) => state !== 'STARTED' && state !== 'RELOCATING');
  if (away === undefined) return undefined;
  return { text: `shard [${away.shard}] of the target: its primary is ${away.state}`, remedy: lookAtPrimary };
}

/**
 * Copies that serve searches, and of which the cluster does not say what they show: under the block the migration would
 * wait for them. A copy that is behind is nothing unusual while documents are written.
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
 * Whether the next owner must finish what the last has begun: a takeover, or the rest of a round and then another
 * round. CUTTING_OVER waits for living owners.
 */
function isLeftHalfDone(context: StepContext, stored: Stored<ShardRecord>): boolean {
  const { writer, nextSnapshot } = stored.record;
  if (writer.owner !== undefined) return !isAlive(context, stored);
  return !writer.fenceReady || nextSnapshot !== undefined;
}

/** Without the shard's record the other checks would find no obstacle. */
function describeMissing(shard: number): Obstacle {
  return {
    text: `shard [${shard}]: its record in .aosc-migrations is missing`,
    remedy: 'cancel the migration, and start it again into an empty target',
  };
}

/**
 * An undo brought the shard back, or its newer record was lost with a primary. Under the block no job would take it.
 */
function describeFar({ shard, phase }: ShardRecord): Obstacle {
  return { text: `shard [${shard}]: it is in ${phase}`, remedy: letRoundsRun };
}

function describeHalfDone({ shard, writer }: ShardRecord): Obstacle {
  const left = writer.owner === undefined ? 'has left a round half done' : 'shows no life';
  return { text: `shard [${shard}]: its last owner ${left}`, remedy: letRoundsRun };
}

/** Under the block there would be no time to wait for the node. */
function describeAway(awaited: readonly NodeRun[], waitMs: number): Obstacle {
  return {
    text: `node [${awaited.map(nodeIdOf).join('], [')}] has left the cluster and may hold a write of ours`,
    remedy: `it is waited for until it is back, or was gone for ${waitMs} ms (AOSC_LOST_NODE_WAIT_MS)`,
  };
}

/** The shard's next owner drains what the node may hold, or the next look takes the node out of the record. */
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
