import type { ShardRecord } from '@aosc/contract';

/**
 * For this long the service tries to close a point in time whose node is away. The point in time expires long before.
 * But a node that was paused keeps it until a request closes it, or until the node itself looks for expired ones. Until
 * then the point in time keeps the shard's lock, and a copy that is to come back uses up its five tries.
 */
export const lateCloseMaxMs = 3_600_000;

/** The record without its open snapshots: it lists them for closing. */
export function withSnapshotsGivenUp(record: ShardRecord): ShardRecord {
  const { snapshot, nextSnapshot, ...rest } = record;
  const pitIds = [snapshot?.pitId, nextSnapshot?.pitId].filter((id) => id !== undefined);
  return { ...rest, closingPitIds: [...record.closingPitIds, ...pitIds] };
}

/** All points in time that the shard has to close. */
export function pitIdsToClose(record: ShardRecord): readonly string[] {
  return [...record.closingPitIds, ...lateIdsOf(record)];
}

/** The points in time that a job could not close. */
export function lateIdsOf({ lateCloses = [] }: ShardRecord): readonly string[] {
  return lateCloses.map(({ pitId }) => pitId);
}

/**
 * The record after a try to close.
 * @param asked what the job tried to close
 * @param left those of `asked` that are not known to be closed
 */
export function afterClosing(
  record: ShardRecord,
  asked: readonly string[],
  left: readonly string[],
  nowMillis: number,
): ShardRecord {
  const { lateCloses = [], ...rest } = record;
  const sinceMillis = (pitId: string): number =>
    lateCloses.find((late) => late.pitId === pitId)?.sinceMillis ?? nowMillis;
  const others = lateCloses.filter(({ pitId }) => !asked.includes(pitId));
  const late = [...others, ...left.map((pitId) => ({ pitId, sinceMillis: sinceMillis(pitId) }))].filter(
    (each) => nowMillis - each.sinceMillis <= lateCloseMaxMs,
  );
  return {
    ...rest,
    closingPitIds: record.closingPitIds.filter((id) => !asked.includes(id)),
    ...(late.length > 0 && { lateCloses: late }),
  };
}

/** Whether a point in time that could not be closed at first is closed by now: a copy may have waited for its lock. */
export function wasLateClosed({ lateCloses = [] }: ShardRecord, left: readonly string[]): boolean {
  return lateCloses.some(({ pitId }) => !left.includes(pitId));
}
