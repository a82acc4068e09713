/** Points in time that were opened, are named by no record, and are not known to be closed. */
export class UnclosedSnapshots {
  private held: readonly string[] = [];

  hold(pitIds: readonly string[]): void {
    this.held = [...this.held, ...pitIds];
  }

  /** @returns what it was told to hold, once */
  take(): readonly string[] {
    const taken = this.held;
    this.held = [];
    return taken;
  }
}
