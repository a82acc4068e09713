import { maxBuckets } from './histogram-interval';
import type { SeqNoWindow } from './seq-no-window';

/**
 * Width of the buckets in which differences are searched for. Narrow buckets make a long histogram, wide ones
 * make many numbers be counted one by one for each difference; the sum of both is smallest in between.
 * @param differences how many documents vanished or were moved to a higher number, about
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
 * Joins neighbouring buckets and deals them out in groups, so that each group is one query.
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
  for (const from of starts) {
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
