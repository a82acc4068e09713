/** Two snapshots can't be of one history: their counts need a negative number of deletes, or too many. */
export class InconsistentSnapshotsError extends Error {
  override readonly name = 'InconsistentSnapshotsError';
}

export interface SnapshotCounts {
  /** documents of P(k) */
  readonly before: number;
  /** documents of P(k+1) whose (`_id`, `_routing`) P(k) does not have */
  readonly created: number;
  /** documents of P(k+1) */
  readonly after: number;
}

/**
 * How many documents of P(k) are not in P(k+1): |P(k)| + created - |P(k+1)|. Exact, because every document of P(k+1)
 * is either created or was in P(k).
 * @throws InconsistentSnapshotsError
 */
export function expectedDeletes({ before, created, after }: SnapshotCounts): number {
  for (const [name, value] of Object.entries({ before, created, after })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${name} must be a number of documents, got ${value}`);
    }
  }
  const deletes = before + created - after;
  if (deletes < 0 || deletes > before) {
    throw new InconsistentSnapshotsError(
      `the snapshots contradict each other: ${before} documents before, ${created} created, ${after} after`,
    );
  }
  return deletes;
}
