/**
 * Things that rest for a while, by their names: a lost shard, a migration that was just looked at. It forgets names
 * whose rest is over, so it only holds as many as rest at a time.
 */
export class Cooldown {
  private readonly ends = new Map<string, number>();

  /** @param now of a clock that never jumps, in milliseconds */
  constructor(private readonly now: () => number) {}

  /**
   * Starts a rest now and replaces an earlier one.
   * @param ms 0 ends it
   */
  begin(name: string, ms: number): void {
    const now = this.now();
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
    this.ends.set(name, now + ms);
  }

  /** @returns whether the earlier rest is over; if so, this starts a new one */
  begins(name: string, ms: number): boolean {
    if (this.left(name) > 0) return false;
    this.begin(name, ms);
    return true;
  }

  /** In milliseconds; 0: the rest is over, or there was none. */
  left(name: string): number {
    return Math.max(0, (this.ends.get(name) ?? -Infinity) - this.now());
  }
}
