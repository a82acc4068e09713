import { shardOf } from '@aosc/domain';
import { routingShards } from './pairs';

function homeOf(id: string, routing: string, shardCount: number): number {
  return shardOf({ id, routing }, { shardCount, routingShardCount: routingShards, partitionSize: 1 });
}

/**
 * A routing of each of two shards of the source, under which a document of this id goes to one and the same shard of the
 * target.
 */
export function findMeetingRoutings(
  id: string,
  [sourceShards, targetShards]: readonly [number, number],
  [firstShard, secondShard]: readonly [number, number],
): readonly [string, string] {
  const routings = Array.from({ length: 300 }, (_, n) => `r${n}`);
  for (const first of routings.filter((routing) => homeOf(id, routing, sourceShards) === firstShard)) {
    const second = routings.find(
      (routing) =>
        homeOf(id, routing, sourceShards) === secondShard &&
        homeOf(id, routing, targetShards) === homeOf(id, first, targetShards),
    );
    if (second !== undefined) return [first, second];
  }
  throw new Error('no such pair of routings');
}
