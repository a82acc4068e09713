import { hashOfRouting } from '../routing/murmur3';
import { type DocumentsHome, targetShardsOf } from '../routing/routing-mode';

/** Shards that are compared with each other: no document of the one side can be in other shards of the other. */
export interface VerifyGroup {
  readonly sourceShards: readonly number[];
  readonly targetShards: readonly number[];
}

/** Whether a document of any source shard may be on any target shard: then all shards are one group. */
export function isOneGroup({ shardRoutingMode, transform }: DocumentsHome): boolean {
  return shardRoutingMode === 'BULK_API' || transform?.rewritesIdentity === true;
}

/** The groups of a migration, in the order in which they are compared. */
export function verifyGroups(migration: DocumentsHome): readonly VerifyGroup[] {
  const sourceShards = Array.from({ length: migration.sourceShardCount }, (_, shard) => shard);
  if (isOneGroup(migration))
    return [
      { sourceShards, targetShards: targetShardsOf({ ...migration, shardRoutingMode: 'BULK_API' }, 0) },
    ];
  return sourceShards.map((shard) => ({
    sourceShards: [shard],
    targetShards: targetShardsOf(migration, shard),
  }));
}

/** Whether a document belongs to this part of a group. The same on both sides, whatever else they say of the document. */
export function isInPart(key: string, part: number, parts: number): boolean {
  return parts === 1 || (hashOfRouting(key) >>> 0) % parts === part;
}
