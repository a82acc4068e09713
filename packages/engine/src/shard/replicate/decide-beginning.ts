import type { MigrationRecord, ShardRecord, Snapshot } from '@aosc/contract';
import { compareSnapshotIdentity } from '@aosc/domain';

export type SourceShard = NonNullable<NonNullable<MigrationRecord['files']>['sources']>[string];

/** How the target comes to hold the first snapshot of a shard. */
type Beginning =
  /** the target is empty, or copying has begun */
  | { readonly type: 'copy' }
  /** one round leads from what the files have brought to the snapshot */
  | { readonly type: 'follow'; readonly linked: SourceShard }
  /** each document is copied over what the files have brought, and each that the snapshot lacks is deleted */
  | { readonly type: 'copy_over' }
  | { readonly type: 'fail'; readonly reason: string };

/**
 * The target's files were linked from files of the source, by a resize. If the same copy was primary from before the
 * resize until the snapshot was opened, the files are that copy's: they have all that the snapshot has up to the
 * checkpoint. Another primary may lack documents that were linked, or have documents that were not.
 */
export function decideBeginning(
  { files }: Pick<MigrationRecord, 'files'>,
  { shard, copy, sweepPending }: Pick<ShardRecord, 'shard' | 'copy' | 'sweepPending'>,
  snapshot: Snapshot,
): Beginning {
  const linked = files?.sources?.[String(shard)];
  if (linked === undefined || sweepPending || (copy?.watermark ?? 0) > 0) return { type: 'copy' };
  const relation = compareSnapshotIdentity(linked, snapshot);
  if (typeof relation === 'object') return { type: 'fail', reason: relation.replaced };
  return relation === 'same_primary' ? { type: 'follow', linked } : { type: 'copy_over' };
}
