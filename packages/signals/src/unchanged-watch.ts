/** The watch forgets a thing after this time without a look. */
const forgetAfterMs = 3_600_000;

interface Seen {
  readonly value: unknown;
  readonly sinceMs: number;
  readonly lookedAtMs: number;
  readonly changes: number;
}

/**
 * How long each thing has stayed unchanged, by this process's own clock that never jumps: times that processes with
 * different clocks have written are not comparable. At the first look a thing counts as changed just now, so that a new
 * process blames no other.
 */
export class UnchangedWatch {
  /** in the order of the last looks */
  private readonly seen = new Map<string, Seen>();

  /** @param now of a clock that never jumps, in milliseconds */
  constructor(private readonly now: () => number) {}

  /**
   * @param value left out: the thing exists, and has nothing that could change
   * @returns also how often it was seen changing
   */
  look(name: string, value?: unknown): { readonly unchangedMs: number; readonly changes: number } {
    const now = this.now();
    const before = this.seen.get(name);
    const isSame = before !== undefined && before.value === value;
    const seen: Seen = {
      value,
      sinceMs: isSame ? before.sinceMs : now,
      lookedAtMs: now,
      changes: before === undefined ? 0 : before.changes + (isSame ? 0 : 1),
    };
    this.seen.delete(name);
    this.seen.set(name, seen);
    for (const [other, { lookedAtMs }] of this.seen) {
      if (now - lookedAtMs <= forgetAfterMs) break;
      this.seen.delete(other);
    }
    return { unchangedMs: now - seen.sinceMs, changes: seen.changes };
  }

  forget(name: string): void {
    this.seen.delete(name);
  }
}
