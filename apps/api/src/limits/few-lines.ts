import { LRUCache } from 'lru-cache';
import { createTally } from './tally';

/** Of one address: so many lines of the log within this time. */
const maxLines = 20;
const withinMs = 20_000;
const tellEveryMs = 60_000;
/** Addresses that are told apart. */
const maxAddresses = 1_000;

/** Decides which of many lines alike are written; the others are counted. */
export interface FewLines {
  /** @param kind what it is counted as @returns whether it has a line of its own */
  note(address: string, kind: string): boolean;
  /** Tells what was counted and not told yet. */
  close(): void;
}

/** @param report gets the number of each kind that had no line, once a minute */
export function createFewLines(
  report: (counts: Readonly<Partial<Record<string, number>>>) => void,
): FewLines {
  const lines = new LRUCache<string, number>({ max: maxAddresses, ttl: withinMs, noUpdateTTL: true });
  const kinds = new Set<string>();
  const tally = createTally<string>(tellEveryMs, (counts) => {
    kinds.clear();
    report(counts);
  });
  return {
    note(address, kind) {
      const written = lines.get(address) ?? 0;
      if (written < maxLines) {
        lines.set(address, written + 1);
        return true;
      }
      const counted = kinds.has(kind) || kinds.size < maxAddresses ? kind : 'others';
      kinds.add(counted);
      tally.note(counted);
      return false;
    },
    close: () => tally.close(),
  };
}
