/** What a copy has done so far, and when the sample was taken; milliseconds of a clock that never jumps. */
export interface CopySample {
  readonly atMs: number;
  readonly documents: number;
  readonly bytes: number;
}

export interface CopyRate {
  readonly documentsPerSecond: number;
  readonly bytesPerSecond: number;
}

/** What the copy did, and in which time; both fade alike, so that a copy that has just begun does not look slow. */
export interface MovingRate {
  readonly last: CopySample;
  readonly documents: number;
  readonly bytes: number;
  readonly ms: number;
}

/** Work done this long ago counts for about a third of work done now. */
const memoryMs = 30_000;

export function startRate(first: CopySample): MovingRate {
  return { last: first, documents: 0, bytes: 0, ms: 0 };
}

/** The moving rate after a further sample. A sample of the same moment changes nothing. */
export function advanceRate(before: MovingRate, now: CopySample): MovingRate {
  const elapsedMs = now.atMs - before.last.atMs;
  if (elapsedMs <= 0) return before;
  const kept = Math.exp(-elapsedMs / memoryMs);
  return {
    last: now,
    documents: kept * before.documents + (now.documents - before.last.documents),
    bytes: kept * before.bytes + (now.bytes - before.last.bytes),
    ms: kept * before.ms + elapsedMs,
  };
}

/** @returns undefined when no time has passed yet */
export function readRate({ documents, bytes, ms }: MovingRate): CopyRate | undefined {
  if (ms <= 0) return undefined;
  return { documentsPerSecond: (documents * 1000) / ms, bytesPerSecond: (bytes * 1000) / ms };
}

/** Whole seconds until so many documents are copied at this rate; undefined: the rate is unknown or zero. */
export function secondsLeft(documents: number, documentsPerSecond: number | undefined): number | undefined {
  if (documents <= 0) return 0;
  if (documentsPerSecond === undefined || documentsPerSecond <= 0) return undefined;
  return Math.ceil(documents / documentsPerSecond);
}
