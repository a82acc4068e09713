import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { nodeIdOf, type NodeRun } from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';
import { runsInQuestion } from './outstanding-bulks';

/** A gap up to this costs the block next to nothing, so a smaller threshold (0 is legal) need not be waited for. */
const harmlessGap = 500;

export interface Obstacle {
  readonly text: string;
  /** what somebody can do about it */
  readonly remedy: string;
}

const lookAtPrimary = 'bring the primary back: _cluster/allocation/explain says what it lacks';
const letItMove = 'it is being moved or recovered: _cat/recovery shows how far it is';
const letRoundsRun = 'the next rounds take care of it, and more workers make them faster';
const speedUp = 'start more workers, or lower the write rate';

/**
 * What would make the write block last: a gap that is too large, a primary that moves (its final checkpoint can't
 * be read), or one that is not where its snapshot was taken (the last round would compare the whole shard).
 * Tested against the source itself.
 * @returns the worst of it, or undefined
 */
export async function findObstacle(
  context: StepContext,
  record: MigrationRecord,
): Promise<Obstacle | undefined> {
  const { signal } = context;
  const [checkpoints, shards, { members }] = await Promise.all([
    context.source.state.readCheckpoints({ signal }),
    context.store.readShards(record.key, record.sourceShardCount, { signal }),
    context.target.cluster.readView(undefined, { signal }),
  ]);
  const { awaited } = context.nodes.judge(runsInQuestion(shards), members);
  if (awaited.length > 0) return describeAway(awaited, context.nodes.waitMs);
  const bound = Math.max(record.options.convergenceThresholdPerShard, harmlessGap);
  const obstacles = shards.flatMap(({ record: shard }) => {
    const now = checkpoints.find((checkpoint) => checkpoint.shard === shard.shard);
    const obstacle = obstacleOfShard(shard, now, bound);
    return obstacle === undefined ? [] : [obstacle];
  });
  return obstacles.toSorted((a, b) => b.gap - a.gap)[0];
}

/** Under the block there would be no time to wait for it. */
function describeAway(awaited: readonly NodeRun[], waitMs: number): Obstacle {
  return {
    text: `node [${awaited.map(nodeIdOf).join('], [')}] has left the cluster and may hold a write of ours`,
    remedy: `it is waited for until it is back, or was gone for ${waitMs} ms (AOSC_LOST_NODE_WAIT_MS)`,
  };
}

function obstacleOfShard(
  shard: ShardRecord,
  now: PrimaryCheckpoint | undefined,
  bound: number,
): (Obstacle & { readonly gap: number }) | undefined {
  const name = `shard [${shard.shard}]`;
  const { snapshot } = shard;
  if (now === undefined)
    return { gap: Infinity, text: `${name}: its primary is missing`, remedy: lookAtPrimary };
  if (now.state !== 'STARTED') {
    return { gap: Infinity, text: `${name}: its primary is ${now.state}`, remedy: letItMove };
  }
  if (snapshot === undefined || shard.sweepPending)
    return { gap: Infinity, text: `${name}: its snapshot was lost`, remedy: letRoundsRun };
  if (snapshot.nodeId !== now.nodeId || snapshot.historyUuid !== now.historyUuid) {
    return { gap: Infinity, text: `${name}: its primary has moved`, remedy: letRoundsRun };
  }
  const gap = now.maxSeqNo - Math.max(snapshot.maxSeqNo, snapshot.checkpoint);
  if (gap <= bound) return undefined;
  return { gap, text: `${name}: ${gap} operations behind, ${bound} are allowed`, remedy: speedUp };
}
