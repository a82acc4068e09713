import type { Clock } from '../../ports/clock';

/** Migrations whose trouble is remembered: more than one scheduler drives. */
const maxMigrations = 1000;

/** Since when each try at a migration's step has failed, as this process knows it. */
export class TroubleWatch {
  private readonly since = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** A try has failed. @returns milliseconds since the first one that did, with no success in between */
  note(key: string): number {
    const now = this.clock.monotonic();
    const first = this.since.get(key) ?? now;
    if (!this.since.has(key) && this.since.size >= maxMigrations) this.forgetOldest();
    this.since.set(key, first);
    return now - first;
  }

  /** A try has gone well. */
  clear(key: string): void {
    this.since.delete(key);
  }

  private forgetOldest(): void {
    const [oldest] = this.since.keys();
    if (oldest !== undefined) this.since.delete(oldest);
  }
}
