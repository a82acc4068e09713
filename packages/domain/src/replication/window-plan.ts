import type { SeqNoHistogram } from './histogram-interval';
import type { SeqNoWindow } from './seq-no-window';

export interface WindowPlanRequest {
  /** first `_seq_no` to cover */
  readonly from: number;
  /** last `_seq_no` to cover; below `from`: none is left */
  readonly maxSeqNo: number;
  /**
   * documents per range of `_seq_no` of the snapshot that is read; without it the plan assumes one document per number
   */
  readonly histogram?: SeqNoHistogram;
  /** about how many documents a window should hold; called for each */
  readonly targetDocs: () => number;
  /** widest window, in `_seq_no`s */
  readonly maxWidth?: number;
}

/** Wide enough to pass over a long gap in a few reads, short enough for a watermark that moves. */
const defaultMaxWidth = 2 ** 24;

/**
 * Cuts [from, maxSeqNo] into contiguous windows of about `targetDocs` documents: wide where the histogram shows few
 * documents, narrow where it shows several per number (a shard made by `_shrink`). The size is only a guess: the reader
 * reads a window until a short page shows that it holds no more. The generator makes one window at a time.
 */
export function* planWindows(request: WindowPlanRequest): Generator<SeqNoWindow, void, undefined> {
  const { from, maxSeqNo, histogram, maxWidth = defaultMaxWidth } = request;
  assertPositive('maxWidth', maxWidth);
  const end = maxSeqNo + 1;
  let position = from;
  while (position < end) {
    const limit = Math.min(position + maxWidth, end);
    const targetDocs = request.targetDocs();
    assertPositive('targetDocs', targetDocs);
    const to =
      histogram === undefined ? position + targetDocs : findEnd(position, limit, histogram, end, targetDocs);
    const window = { from: position, to: Math.min(to, limit) };
    yield window;
    position = window.to;
  }
}

function assertPositive(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name} must be an integer >= 1, got ${value}`);
}

/** The end of a window of `targetDocs` that starts at `position`, as if documents were spread evenly in a bucket. */
function findEnd(
  position: number,
  limit: number,
  { interval, counts }: SeqNoHistogram,
  end: number,
  targetDocs: number,
): number {
  let needed = targetDocs;
  let to = position;
  while (to < limit) {
    const bucket = Math.floor(to / interval) * interval;
    const bucketEnd = Math.min(bucket + interval, end);
    const density = (counts.get(bucket) ?? 0) / (bucketEnd - bucket);
    const available = density * (bucketEnd - to);
    if (available > needed) return Math.max(to + Math.floor(needed / density), position + 1);
    needed -= available;
    to = bucketEnd;
  }
  return to;
}
