import { LRUCache } from 'lru-cache';

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
export function createFewLines(): (address: string) => number | undefined {
  const counts = new LRUCache<string, number>({ max: maxAddresses, ttl: withinMs, noUpdateTTL: true });
  return (address) => {
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    return count <= maxLines || Number.isInteger(Math.log2(count)) ? count : undefined;
  };
}
