import type { MigrationRecord } from '@aosc/contract';
import { hashOfRouting } from '../routing/murmur3';
import { targetShardsOf } from '../routing/routing-mode';

/** Shards that are compared with each other: no document of the one side can be in other shards of the other. */
export interface VerifyGroup {
  readonly sourceShards: readonly number[];
  readonly targetShards: readonly number[];
}

/** Prints of so many documents are compared at once: what a killed checker leaves to be read again. */
export const maxDocumentsOfPart = 5_000_000;

/** The groups of a migration, in the order in which they are compared. */
export function verifyGroups(
  migration: Pick<
    MigrationRecord,
    'shardRoutingMode' | 'sourceShardCount' | 'targetShardCount' | 'transform'
  >,
): readonly VerifyGroup[] {
  const { shardRoutingMode, sourceShardCount, targetShardCount, transform } = migration;
  const sources = Array.from({ length: sourceShardCount }, (_, shard) => shard);
  if (shardRoutingMode === 'BULK_API' || transform?.rewritesIdentity === true) {
    return [
      { sourceShards: sources, targetShards: Array.from({ length: targetShardCount }, (_, shard) => shard) },
    ];
  }
  return sources.map((shard) => ({ sourceShards: [shard], targetShards: targetShardsOf(migration, shard) }));
}

/** Whether a document belongs to this part of a group. The same on both sides, whatever else they say of the document. */
export function isInPart(key: string, part: number, parts: number): boolean {
  return parts === 1 || (hashOfRouting(key) >>> 0) % parts === part;
}
