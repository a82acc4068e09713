import type { Snapshot } from '@aosc/contract';

/** Where a shard's primary is, according to the cluster state. */
export interface PrimaryPlace {
  /** `STARTED`, `RELOCATING`, `INITIALIZING` or `UNASSIGNED` */
  readonly state: string;
  readonly nodeId: string | undefined;
  readonly allocationId: string | undefined;
}

/**
 * Whether the shard of a snapshot is still open on its node. If not, the snapshot holds the lock of a copy that is not
 * in use and that may want it back. A failed primary that restarts from its own store keeps its node and its allocation
 * id: only the state INITIALIZING shows it.
 */
export function isSnapshotAtHome(
  snapshot: Pick<Snapshot, 'nodeId' | 'allocationId'>,
  { state, nodeId, allocationId }: PrimaryPlace,
): boolean {
  const open = state === 'STARTED' || state === 'RELOCATING';
  return open && nodeId === snapshot.nodeId && allocationId === snapshot.allocationId;
}
