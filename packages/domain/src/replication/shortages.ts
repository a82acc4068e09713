import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import type { DocumentsHome } from '../routing/routing-mode';
import { isOneGroup, verifyGroups } from '../verification/units';

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
  migration: DocumentsHome,
  shards: readonly Pick<ShardRecord, 'shard' | 'finalDocumentCount' | 'setAside'>[],
  held: ReadonlyMap<number, number>,
): readonly Shortage[] {
  // What the target refuses is known to be missing.
  const finals = new Map(
    shards.flatMap(({ shard, finalDocumentCount, setAside = [] }) =>
      finalDocumentCount === undefined ? [] : [[shard, finalDocumentCount - setAside.length] as const],
    ),
  );
  // A shard that another version of the service completed has no final count.
  if (finals.size !== migration.sourceShardCount) return [];
  const sum = (counts: ReadonlyMap<number, number>, of: readonly number[]): number =>
    of.reduce((all, shard) => all + (counts.get(shard) ?? 0), 0);
  const looked = verifyGroups(migration).map(({ sourceShards, targetShards }) => ({
    sourceShard: isOneGroup(migration) ? undefined : sourceShards[0],
    targetShards,
    expected: sum(finals, sourceShards),
    held: sum(held, targetShards),
  }));
  return looked.filter((each) => each.held < each.expected);
}
