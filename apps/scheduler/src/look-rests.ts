/** Migrations that need not be driven on for a moment: those who wake the scheduler meanwhile share the next look. */
export interface LookRests {
  /** @param restMs from now on; undefined: none */
  begin(key: string, restMs: number | undefined): void;
  /** What is left of the migration's rest, in milliseconds; 0: there is none. */
  left(key: string): number;
}

/** @param now of a clock that never jumps, in milliseconds */
export function createLookRests(now: () => number): LookRests {
  const ends = new Map<string, number>();
  return {
    begin(key, restMs) {
      for (const [other, end] of ends) if (end <= now()) ends.delete(other);
      if (restMs === undefined) ends.delete(key);
      else ends.set(key, now() + restMs);
    },
    left: (key) => Math.max(0, (ends.get(key) ?? -Infinity) - now()),
  };
}
