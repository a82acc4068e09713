import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import type { PrimaryCheckpoint } from '../ports/source-port';
import type { CoordinatorContext } from './context';

/** A gap up to this costs the block next to nothing, so a smaller threshold (0 is legal) need not be waited for. */
const harmlessGap = 500;

/**
 * What would make the write block last: a gap that is too large, a primary that moves (its final checkpoint can't
 * be read), or one that is not where its snapshot was taken (the last round would compare the whole shard).
 * Tested against the source itself.
 * @returns the worst of it in words, or undefined
 */
export async function findObstacle(
  context: CoordinatorContext,
  record: MigrationRecord,
): Promise<string | undefined> {
  const { signal } = context;
  const [checkpoints, shards] = await Promise.all([
    context.source.readCheckpoints(record.sourceIndex, { signal }),
    context.store.readShards(record.key, record.sourceShardCount, { signal }),
  ]);
  const bound = Math.max(record.options.convergenceThresholdPerShard, harmlessGap);
  const obstacles = shards.flatMap(({ record: shard }) => {
    const now = checkpoints.find((checkpoint) => checkpoint.shard === shard.shard);
    const obstacle = obstacleOfShard(shard, now, bound);
    return obstacle === undefined ? [] : [obstacle];
  });
  return obstacles.toSorted((a, b) => b.gap - a.gap)[0]?.text;
}

function obstacleOfShard(
  shard: ShardRecord,
  now: PrimaryCheckpoint | undefined,
  bound: number,
): { readonly gap: number; readonly text: string } | undefined {
  const name = `shard [${shard.shard}]`;
  const { snapshot } = shard;
  if (now?.state !== 'STARTED')
    return { gap: Infinity, text: `${name}: its primary is ${now?.state ?? 'missing'}` };
  if (snapshot === undefined || shard.sweepPending)
    return { gap: Infinity, text: `${name}: its snapshot was lost` };
  if (snapshot.nodeId !== now.nodeId || snapshot.historyUuid !== now.historyUuid) {
    return { gap: Infinity, text: `${name}: its primary has moved` };
  }
  const gap = now.maxSeqNo - Math.max(snapshot.maxSeqNo, snapshot.checkpoint);
  return gap <= bound ? undefined : { gap, text: `${name}: ${gap} operations behind, ${bound} are allowed` };
}
