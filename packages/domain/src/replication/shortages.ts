import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { targetShardsOf } from '../routing/routing-mode';

/**
 * Whether the target may hold documents that the migration did not write: then their number does not show that none is
 * missing.
 */
export function allowsForOthers({ options }: Pick<MigrationRecord, 'options'>): boolean {
  return options.docCountTolerance > 0 || options.validationQuery !== undefined;
}

/** Documents that the target has too few of. */
export interface Shortage {
  /** whose documents; undefined: all of the source */
  readonly sourceShard: number | undefined;
  /** where they should be */
  readonly targetShards: readonly number[];
  readonly expected: number;
  readonly held: number;
}

/**
 * Where the target holds fewer documents than the final snapshots. Each document has a place of its own, so fewer means
 * missing: shard by shard where a source shard has target shards of its own, in total in BULK_API and where a transform
 * gives documents other ids or routings. This ignores surpluses: an application may have put them there.
 * @param held documents of each target shard
 */
export function findShortages(
  migration: Pick<
    MigrationRecord,
    'shardRoutingMode' | 'sourceShardCount' | 'targetShardCount' | 'transform'
  >,
  shards: readonly Pick<ShardRecord, 'shard' | 'finalDocumentCount' | 'setAside'>[],
  held: ReadonlyMap<number, number>,
): readonly Shortage[] {
  const { shardRoutingMode: mode, sourceShardCount, transform } = migration;
  // What the target refuses is known to be missing.
  const finals = shards.flatMap(({ shard, finalDocumentCount, setAside = [] }) =>
    finalDocumentCount === undefined ? [] : [{ shard, expected: finalDocumentCount - setAside.length }],
  );
  // A shard that another version of the service completed has no final count.
  if (finals.length !== sourceShardCount) return [];
  const look = (
    sourceShard: number | undefined,
    targetShards: readonly number[],
    expected: number,
  ): Shortage => ({
    sourceShard,
    targetShards,
    expected,
    held: targetShards.reduce((sum, shard) => sum + (held.get(shard) ?? 0), 0),
  });
  const looked =
    mode === 'BULK_API' || transform?.rewritesIdentity === true
      ? [
          look(
            undefined,
            targetShardsOf({ ...migration, shardRoutingMode: 'BULK_API' }, 0),
            finals.reduce((sum, { expected }) => sum + expected, 0),
          ),
        ]
      : finals.map(({ shard, expected }) => look(shard, targetShardsOf(migration, shard), expected));
  return looked.filter((each) => each.held < each.expected);
}
