import type { Clock } from '../../ports/clock';

/**
 * Lets a look at a migration be taken at most once in a while by this process. Every shard that gets further has the
 * migration driven on, and what others may do to the target meanwhile need not be read each time.
 */
export class LookPace {
  private readonly lastAt = new Map<string, number>();

  /** @param everyMs from one look to the next */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly everyMs: number,
  ) {}

  /** Whether to look now; then the next look is due after a while. */
  isDue(key: string): boolean {
    const now = this.clock.monotonic();
    for (const [other, at] of this.lastAt) {
      if (now - at >= this.everyMs) this.lastAt.delete(other);
    }
    if (this.lastAt.has(key)) return false;
    this.lastAt.set(key, now);
    return true;
  }
}
