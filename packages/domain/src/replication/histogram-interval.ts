/** Documents per range of `_seq_no`; `counts`: first number of the range -> documents, empty ranges left out. */
export interface SeqNoHistogram {
  readonly interval: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** The default of OpenSearch's `search.max_buckets`: no request asks for more at once. */
export const maxBuckets = 65_535;
const narrowest = 4096;

/**
 * Width of a bucket for [0, maxSeqNo]: the narrowest power of two, from 4096 on, that needs no more buckets than
 * OpenSearch returns.
 */
export function histogramInterval(maxSeqNo: number): number {
  let interval = narrowest;
  while (Math.floor(maxSeqNo / interval) + 1 > maxBuckets) interval *= 2;
  return interval;
}

/** A histogram when only the number of documents in [0, maxSeqNo] is known, not where they are. */
export function allInOneBucket(maxSeqNo: number, documents: number): SeqNoHistogram {
  return { interval: maxSeqNo + 1, counts: new Map([[0, documents]]) };
}

/**
 * First numbers, ascending, of the buckets in which two histograms of one interval differ, in either direction: after a
 * change of the primary a bucket can also gain documents.
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
