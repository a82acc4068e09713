/** Somebody else owns the shard, or the migration no longer wants this work: stop, write nothing more. */
export class OwnershipLostError extends Error {
  override readonly name = 'OwnershipLostError';
}

/** The snapshot the copy stands on is gone: expired, closed by somebody, its node died, or it was given up. */
export class SnapshotLostError extends Error {
  override readonly name = 'SnapshotLostError';
}

/** The shard's primary is not on the node whose permit the job holds: another node's permit is needed. */
export class PrimaryElsewhereError extends Error {
  override readonly name = 'PrimaryElsewhereError';
}

/** The shard can't go on, whoever tries: the migration fails with this reason. */
export class ShardFailedError extends Error {
  override readonly name = 'ShardFailedError';
}
