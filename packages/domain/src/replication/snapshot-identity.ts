import type { Snapshot } from '@aosc/contract';

/** Which copy a snapshot was taken of. */
export type SnapshotIdentity = Pick<Snapshot, 'historyUuid' | 'allocationId' | 'primaryTerm'>;

export type SnapshotRelation =
  /** operations were only added: the difference in one direction is enough */
  | 'same_primary'
  /** another copy became primary: operations that it lacked may be gone, so the difference is taken both ways */
  | 'primary_changed'
  /** another history, which the copied documents say nothing about: the migration has to fail */
  | { readonly replaced: string };

/**
 * Whether two snapshots of one shard may be compared, and how. Both are of the migration's cluster and index: no other
 * is opened (`readSourceRouting` of `@aosc/engine`).
 */
export function compareSnapshotIdentity(before: SnapshotIdentity, after: SnapshotIdentity): SnapshotRelation {
  const changed = (what: string, from: string | number, to: string | number) => ({
    replaced: `${what} changed from [${from}] to [${to}]`,
  });
  if (before.historyUuid !== after.historyUuid) {
    return changed('the history uuid', before.historyUuid, after.historyUuid);
  }
  // Terms only grow. A smaller one means that the cluster itself was set back to an older state.
  if (after.primaryTerm < before.primaryTerm) {
    return changed('the primary term went back: it', before.primaryTerm, after.primaryTerm);
  }
  const samePrimary = before.allocationId === after.allocationId && before.primaryTerm === after.primaryTerm;
  return samePrimary ? 'same_primary' : 'primary_changed';
}
