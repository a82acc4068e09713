/** What went wrong with a call to OpenSearch, in terms of what the caller can do about it. */
export type ClusterErrorKind =
  /** the point in time is gone: expired, closed by a client, or its node died */
  | 'snapshot_lost'
  /** 429, es_rejected_execution, circuit breaker: try again later, with less */
  | 'overload'
  /** 413, or a response over a limit: try again with a smaller page */
  | 'too_large'
  /** more terms or clauses in a query than the index or the cluster allows: ask for fewer at a time */
  | 'too_many_clauses'
  /** 502/503/504, time-out, lost connection, partial answer: nothing is known about the outcome */
  | 'transient'
  /** index, alias or document is missing */
  | 'not_found'
  /** 401/403 that is not a cluster block */
  | 'forbidden'
  /** a block (write, metadata, read_only_allow_delete) refuses the call */
  | 'blocked'
  /** 409: compare-and-set lost, or the thing exists already */
  | 'conflict'
  /** any other 4xx: the request itself is wrong; asking again can't help */
  | 'invalid'
  /** the caller's AbortSignal fired */
  | 'aborted';

/**
 * A call to OpenSearch that did not do what was asked. The message names method, path, status and the cluster's reason.
 */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  constructor(
    readonly kind: ClusterErrorKind,
    message: string,
    readonly details: {
      readonly status?: number;
      readonly type?: string;
      /** size of an answer over the limit, where it was announced */
      readonly bytes?: number;
      /**
       * What must come back before another try can help; to ask for less does not help. `cluster`: no node listens, or
       * the cluster has no manager. `pit_room`: open points in time take up all the room that a node has for them.
       */
      readonly awaits?: 'cluster' | 'pit_room';
    } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** OpenSearch itself says that the index is not there. Any other 404 (a proxy's, an unknown path's) proves nothing. */
export function isIndexMissing(error: unknown): boolean {
  return error instanceof ClusterError && error.details.type === 'index_not_found_exception';
}

/** The index is there and was closed: it takes neither reads nor writes until it is opened again. */
export function isIndexClosed(error: unknown): boolean {
  return error instanceof ClusterError && error.details.type === 'index_closed_exception';
}

/**
 * OpenSearch refuses a read that names a node while zones have weights (`WeightedRoutingUtils`). It still takes the
 * preference `_primary`.
 */
export function isNodeRefused(error: unknown): boolean {
  return (
    error instanceof ClusterError && error.details.type === 'preference_based_search_not_allowed_exception'
  );
}

export function isClusterError(error: unknown, ...kinds: readonly ClusterErrorKind[]): error is ClusterError {
  return error instanceof ClusterError && (kinds.length === 0 || kinds.includes(error.kind));
}

/** For a `catch` that takes a value in place of some errors. @throws all other errors */
export function instead<T>(
  value: T,
  ...errors: readonly (ClusterErrorKind | ((error: unknown) => boolean))[]
) {
  return (error: unknown): T => {
    if (errors.some((one) => (typeof one === 'string' ? isClusterError(error, one) : one(error))))
      return value;
    throw error;
  };
}

/** For a `catch` of a call whose failure changes nothing. @throws errors that are not a ClusterError */
export function ignoreClusterErrors(error: unknown): void {
  if (!isClusterError(error)) throw error;
}
