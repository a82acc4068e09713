/** A modelled cluster, its source included, at one moment. */
export interface Conditions {
  /** bulks that are worked on at once; the others wait */
  readonly threads: number;
  /** all threads together */
  readonly bytesPerSecond: number;
  /** time of a bulk however small */
  readonly overheadMs: number;
  /** bytes in flight beyond which the cluster works ever less efficiently */
  readonly kneeBytes: number;
  /** bytes in flight beyond which it refuses; 0: it refuses everything */
  readonly limitBytes: number;
  readonly bytesPerDoc: number;
  /** what one source shard is read with, at best */
  readonly readBytesPerSecond: number;
  /** how far the time of a bulk strays, as a part of it; up to 1 */
  readonly noise: number;
}

const MB = 2 ** 20;

/**
 * Writes 50 MB/s at best, 12.5 MB/s for each bulk in flight, needs 40 ms for the smallest one, and works worse with more
 * than 64 MB in flight.
 */
export const usualCluster: Conditions = {
  threads: 4,
  bytesPerSecond: 50 * MB,
  overheadMs: 40,
  kneeBytes: 64 * MB,
  limitBytes: 128 * MB,
  bytesPerDoc: 2048,
  readBytesPerSecond: Infinity,
  noise: 0,
};

const refusalMs = 5;

type Answer =
  | { readonly refused: true; readonly endsAt: number }
  | { readonly refused: false; readonly endsAt: number; readonly tookMs: number };

export interface ModelledCluster {
  /** @param now ms of the modelled time; never goes back */
  send(bytes: number, conditions: Conditions, now: number): Answer;
  /** to be called when an accepted bulk has ended */
  end(bytes: number): void;
}

/** Threads that take bulks in the order in which they come. @param random uniform in [0, 1) */
export function createCluster(random: () => number): ModelledCluster {
  let inFlightBytes = 0;
  /** when each thread has done what it was given */
  let freeAt: number[] = [];
  return {
    send(bytes, conditions, now) {
      if (inFlightBytes + bytes > conditions.limitBytes) return { refused: true, endsAt: now + refusalMs };
      inFlightBytes += bytes;
      const { threads, overheadMs } = conditions;
      freeAt = Array.from({ length: threads }, (_, i) => Math.max(now, freeAt[i] ?? 0)).sort((a, b) => a - b);
      const workMs = workOf(bytes, inFlightBytes, conditions) * strayBy(conditions.noise, random);
      const done = (freeAt[0] ?? now) + workMs;
      freeAt[0] = done;
      return { refused: false, endsAt: done + overheadMs, tookMs: done + overheadMs - now };
    },
    end: (bytes) => (inFlightBytes -= bytes),
  };
}

/** Time of one thread for a bulk, ms. */
function workOf(
  bytes: number,
  inFlightBytes: number,
  { bytesPerSecond, threads, kneeBytes }: Conditions,
): number {
  const excess = Math.max(0, inFlightBytes - kneeBytes) / kneeBytes;
  return (bytes / (bytesPerSecond / threads)) * 1000 * (1 + excess);
}

/** 1 on average. From sums and products alone, which are the same on every machine. */
function strayBy(noise: number, random: () => number): number {
  return 1 + noise * (random() + random() + random() - 1.5);
}

export interface Bounds {
  readonly maxDocs: number;
  readonly maxBytes: number;
  /** of one shard */
  readonly concurrency: number;
  readonly shards: number;
}

/** Bytes per second of the best that any size and any number in flight within these bounds gets out of the cluster. */
export function optimum(conditions: Conditions, bounds: Bounds): number {
  const { threads, overheadMs, limitBytes, readBytesPerSecond, bytesPerDoc } = conditions;
  const mostDocs = Math.max(1, Math.min(bounds.maxDocs, Math.floor(bounds.maxBytes / bytesPerDoc)));
  let best = 0;
  for (
    let inFlight = bounds.shards;
    inFlight <= bounds.shards * bounds.concurrency;
    inFlight += bounds.shards
  ) {
    for (let documents = 1; documents <= mostDocs; documents = Math.ceil(documents * 1.02)) {
      const bytes = documents * bytesPerDoc;
      if (bytes * inFlight > limitBytes) break;
      const workMs = workOf(bytes, bytes * inFlight, conditions);
      const perSecond = Math.min(inFlight / (overheadMs + workMs), threads / workMs) * bytes * 1000;
      best = Math.max(best, Math.min(perSecond, readBytesPerSecond * bounds.shards));
    }
  }
  return best;
}
