/**
 * Things that are left alone for a while, by their names: a shard that was lost, a migration that has just been looked at.
 * What is over is forgotten, so that it holds no more names than are left alone at a time.
 */
export class Cooldown {
  private readonly ends = new Map<string, number>();

  /** @param now of a clock that never jumps, in milliseconds */
  constructor(private readonly now: () => number) {}

  /** From now on, whatever was left of an earlier one. @param ms 0 ends it */
  begin(name: string, ms: number): void {
    const now = this.now();
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
    this.ends.set(name, now + ms);
  }

  /** @returns whether what was begun before is over; it begins again then */
  begins(name: string, ms: number): boolean {
    if (this.left(name) > 0) return false;
    this.begin(name, ms);
    return true;
  }

  /** In milliseconds; 0: it is over, or was none. */
  left(name: string): number {
    return Math.max(0, (this.ends.get(name) ?? -Infinity) - this.now());
  }
}
