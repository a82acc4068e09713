import type { Snapshot } from '@aosc/contract';

/** Where a shard's primary is, as the cluster state tells it. */
export interface PrimaryPlace {
  /** `STARTED`, `RELOCATING`, `INITIALIZING` or `UNASSIGNED` */
  readonly state: string;
  readonly nodeId: string | undefined;
  readonly allocationId: string | undefined;
}

/**
 * Is the shard that a snapshot was taken of still open on its node? Else the snapshot holds the lock of a copy that
 * is not in use, and that may want it back. A failed primary that is started again from its own store keeps its
 * node and its allocation id: that it is INITIALIZING is all there is to see.
 */
export function isSnapshotAtHome(
  snapshot: Pick<Snapshot, 'nodeId' | 'allocationId'>,
  { state, nodeId, allocationId }: PrimaryPlace,
): boolean {
  const open = state === 'STARTED' || state === 'RELOCATING';
  return open && nodeId === snapshot.nodeId && allocationId === snapshot.allocationId;
}
