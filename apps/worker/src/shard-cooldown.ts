/**
 * Shards that were taken from this process while it worked on them. It leaves them to others for a while: what made it
 * hang is likely to make it hang again, and the one that ends a job is the first to ask for the next.
 */
export class ShardCooldown {
  private readonly until = new Map<string, number>();

  constructor(
    private readonly forMs: number,
    private readonly monotonic: () => number,
  ) {}

  add(name: string): void {
    for (const [other, time] of this.until) if (time <= this.monotonic()) this.until.delete(other);
    this.until.set(name, this.monotonic() + this.forMs);
  }

  has(name: string): boolean {
    return (this.until.get(name) ?? -Infinity) > this.monotonic();
  }
}
