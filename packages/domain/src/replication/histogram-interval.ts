/** Documents per range of `_seq_no`; `counts`: first number of the range -> documents, empty ranges left out. */
export interface SeqNoHistogram {
  readonly interval: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** What `search.max_buckets` of OpenSearch is by default: nothing asks for more at once. */
export const maxBuckets = 65_535;
const narrowest = 4096;

/**
 * Width of a bucket for [0, maxSeqNo]: the narrowest power of two, from 4096 on, with no more buckets than OpenSearch
 * gives.
 */
export function histogramInterval(maxSeqNo: number): number {
  let interval = narrowest;
  while (Math.floor(maxSeqNo / interval) + 1 > maxBuckets) interval *= 2;
  return interval;
}

/** The histogram of documents of which is known how many they are in [0, maxSeqNo], and not where. */
export function allInOneBucket(maxSeqNo: number, documents: number): SeqNoHistogram {
  return { interval: maxSeqNo + 1, counts: new Map([[0, documents]]) };
}

/**
 * First numbers, ascending, of the buckets in which two histograms of one interval differ, in either direction: a
 * bucket can gain documents too, after a change of the primary.
 */
export function differingBuckets(before: SeqNoHistogram, after: SeqNoHistogram): readonly number[] {
  if (before.interval !== after.interval) {
    throw new RangeError(
      `histograms of intervals ${before.interval} and ${after.interval} can't be compared`,
    );
  }
  const starts = new Set([...before.counts.keys(), ...after.counts.keys()]);
  return [...starts]
    .filter((start) => (before.counts.get(start) ?? 0) !== (after.counts.get(start) ?? 0))
    .sort((a, b) => a - b);
}
