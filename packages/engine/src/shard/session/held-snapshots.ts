/** A point in time on a shard of the target. It keeps that shard's lock, so the heartbeat looks after it. */
export interface TargetSnapshot {
  readonly pitId: string;
  /** of the target */
  readonly shard: number;
  /** where the primary was at the opening */
  readonly nodeId: string;
  readonly allocationId: string;
}

/**
 * Points in time that were opened, are named by no record, and are not known to be closed. Those of source and target are
 * closed by one call: both indices are in one cluster.
 */
export class UnclosedSnapshots {
  private held: readonly string[] = [];

  hold(pitIds: readonly string[]): void {
    this.held = [...this.held, ...pitIds];
  }

  get holdsAny(): boolean {
    return this.held.length > 0;
  }

  /** @returns what it was told to hold, once */
  take(): readonly string[] {
    const taken = this.held;
    this.held = [];
    return taken;
  }
}
