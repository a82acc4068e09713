import { LRUCache } from 'lru-cache';

/** Counts what happens too often for a log line each, and reports the numbers together. */
export interface Tally<K extends string> {
  note(kind: K): void;
  /** Reports what was counted since the last report. */
  close(): void;
}

/**
 * @param everyMs from the first count to the report of all
 * @param report gets the number for each kind that occurred
 */
export function createTally<K extends string>(
  everyMs: number,
  report: (counts: Readonly<Partial<Record<K, number>>>) => void,
): Tally<K> {
  const counts = new Map<K, number>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    const told: Partial<Record<K, number>> = {};
    for (const [kind, count] of counts) told[kind] = count;
    counts.clear();
    report(told);
  };
  return {
    note(kind) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      // A pending report does not keep the process alive.
      timer ??= setTimeout(tell, everyMs).unref();
    },
    close: tell,
  };
}

/** One address gets this many lines of the log within this time. */
const maxLines = 20;
const withinMs = 20_000;
/** Addresses with a count of their own; the count of the oldest is dropped for a new one's. */
const maxAddresses = 1_000;

/**
 * Decides which of the lines that an address causes are written: the first ones, then each whose number is a power of
 * two. So a flood shows its size in a few lines.
 * @returns the line's number within the time; undefined: it is not written
 */
type FewLines = (address: string) => number | undefined;

export function createFewLines(): FewLines {
  const counts = new LRUCache<string, number>({ max: maxAddresses, ttl: withinMs, noUpdateTTL: true });
  return (address) => {
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    return count <= maxLines || Number.isInteger(Math.log2(count)) ? count : undefined;
  };
}
