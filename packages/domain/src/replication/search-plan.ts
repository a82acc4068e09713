import { maxBuckets } from './histogram-interval';
import type { SeqNoWindow } from './seq-no-window';

/**
 * Width of the buckets in which a shard searches for differences. Narrow buckets make a long histogram; wide ones make
 * it count many numbers one by one for each difference. The sum of both is smallest in between.
 * @param differences about how many documents vanished or moved to a higher number
 * @returns a power of two
 */
export function searchInterval(maxSeqNo: number, differences: number): number {
  const numbers = Math.max(maxSeqNo + 1, 1);
  const ideal = Math.sqrt(numbers / Math.max(differences, 1));
  let interval = 1;
  while (interval < ideal || numbers / interval > maxBuckets - 1) interval *= 2;
  return interval;
}

/**
 * Cuts buckets into halves until none is wider than a query may count number by number. Only shards with billions of
 * numbers have such buckets.
 * @param interval a power of two
 */
export function cutBuckets(
  starts: readonly number[],
  interval: number,
  most: number,
): { readonly starts: readonly number[]; readonly interval: number } {
  let width = interval;
  while (width > most) width /= 2;
  const pieces = Array.from({ length: interval / width }, (_, piece) => piece * width);
  return { starts: starts.flatMap((start) => pieces.map((piece) => start + piece)), interval: width };
}

/**
 * Joins neighbouring buckets and puts them into groups, each of which is one query.
 * @param starts first numbers of the buckets, ascending
 * @param limit numbers above it belong to no window
 */
export function groupBuckets(
  starts: readonly number[],
  interval: number,
  limit: number,
  bounds: { readonly maxRanges: number; readonly maxNumbers: number },
): readonly (readonly SeqNoWindow[])[] {
  const groups: SeqNoWindow[][] = [];
  let numbers = Infinity;
  for (const from of starts.filter((start) => start <= limit)) {
    const to = Math.min(from + interval, limit + 1);
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group === undefined || numbers + (to - from) > bounds.maxNumbers) {
      groups.push([{ from, to }]);
      numbers = to - from;
      continue;
    }
    numbers += to - from;
    if (last?.to === from) group[group.length - 1] = { from: last.from, to };
    else if (group.length < bounds.maxRanges) group.push({ from, to });
    else {
      groups.push([{ from, to }]);
      numbers = to - from;
    }
  }
  return groups;
}
