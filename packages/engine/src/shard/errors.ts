/**
 * Another process owns the shard, or the migration no longer wants this work: the job stops and writes nothing more.
 */
export class OwnershipLostError extends Error {
  override readonly name = 'OwnershipLostError';
}

/**
 * The snapshot that the work reads from is gone: it expired, a client closed it, its node died, or the service gave it
 * up.
 */
export class SnapshotLostError extends Error {
  override readonly name = 'SnapshotLostError';
}

/** The shard's primary is not on the node whose permit the job holds: the job needs another node's permit. */
export class PrimaryElsewhereError extends Error {
  override readonly name = 'PrimaryElsewhereError';
}

/** No process can go on with the shard: the migration fails with this reason. */
export class ShardFailedError extends Error {
  override readonly name = 'ShardFailedError';
}
