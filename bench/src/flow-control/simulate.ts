import { createController, type WriterSettings } from '@aosc/domain';
import { createRandom } from '@aosc/testkit';
import { type Conditions, createCluster } from './cluster-model';

/** One bulk at its end, with the limits that its shard's controller sets then. Times in ms of the modelled time. */
export interface Bulk {
  readonly shard: number;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly documents: number;
  readonly bytes: number;
  readonly refused: boolean;
  /** 0: none */
  readonly pauseMs: number;
  /** why the shard was given up */
  readonly failed: string | undefined;
  readonly targetBytes: number;
  readonly maxBytes: number;
  readonly maxDocs: number;
  readonly concurrency: number;
}

export interface Simulation {
  readonly settings: (ms: number) => WriterSettings;
  readonly conditions: (ms: number) => Conditions;
  readonly durationMs: number;
  /** source shards that are copied at once, each with a controller of its own; default 1 */
  readonly shards?: number;
  readonly seed?: number;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/** What a page reader has ready for a shard at the most: two answers of 8 MB. */
const readAheadBytes = 16 * 2 ** 20;

/**
 * Lets real controllers work on a modelled cluster, in modelled time: the same input gives the same bulks, everywhere.
 * @returns all bulks in the order in which they ended
 */
// eslint-disable-next-line max-lines-per-function -- one loop over the state of a simulated cluster
export function simulate(simulation: Simulation): readonly Bulk[] {
  const { settings, conditions, durationMs, shards = 1, seed = 1 } = simulation;
  const chance = createRandom(seed);
  const random = (): number => chance.next();
  const cluster = createCluster(random);
  const bulks: Bulk[] = [];
  const events: Event[] = [];
  let now = 0;
  const schedule = (at: number, run: () => void): void => {
    const index = events.findIndex((event) => event.at > at);
    events.splice(index < 0 ? events.length : index, 0, { at, run });
  };

  for (let shard = 0; shard < shards; shard++) {
    const controller = createController(() => settings(now), random);
    const reader = createReader();
    let inFlight = 0;
    let pausedUntil = 0;
    let failed = false;
    let wakesAt = Infinity;
    const wake = (at: number): void => {
      if (at >= wakesAt && wakesAt > now) return;
      wakesAt = at;
      schedule(at, send);
    };
    const send = (): void => {
      while (!failed) {
        const limits = controller.limits();
        if (inFlight >= limits.concurrency) return;
        if (now < pausedUntil) {
          wake(pausedUntil);
          return;
        }
        const { bytesPerDoc, readBytesPerSecond } = conditions(now);
        const documents = Math.min(limits.maxDocs, Math.max(1, Math.floor(limits.maxBytes / bytesPerDoc)));
        const bytes = documents * bytesPerDoc;
        const readAt = reader.take(bytes, readBytesPerSecond, now);
        if (readAt > now) {
          wake(readAt);
          return;
        }
        const sentAt = now;
        const answer = cluster.send(bytes, conditions(now), now);
        inFlight++;
        schedule(answer.endsAt, () => {
          inFlight--;
          if (answer.refused) reader.giveBack(bytes);
          else cluster.end(bytes);
          const measured = { documents, bytes, elapsedMs: now - sentAt, ticket: limits.ticket };
          const decision = controller.observe(
            answer.refused
              ? { ...measured, tookMs: undefined, kind: 'overload', reason: 'queue full', attempts: 1 }
              : { ...measured, tookMs: answer.tookMs, kind: 'success' },
          );
          if (decision.action === 'pause') pausedUntil = Math.max(pausedUntil, now + decision.pauseMs);
          failed ||= decision.action === 'fail';
          const { ticket: _, ...after } = controller.limits();
          bulks.push({
            ...after,
            shard,
            sentAt,
            endedAt: now,
            documents,
            bytes,
            refused: answer.refused,
            pauseMs: decision.action === 'pause' ? decision.pauseMs : 0,
            failed: decision.action === 'fail' ? decision.reason : undefined,
          });
          send();
        });
      }
    };
    schedule(0, send);
  }

  for (let event = events.shift(); event !== undefined && event.at <= durationMs; event = events.shift()) {
    now = event.at;
    event.run();
  }
  return bulks;
}

/** Reads ahead until its room is full. */
function createReader() {
  let ready = 0;
  let at = 0;
  const fill = (bytesPerSecond: number, room: number, now: number): void => {
    const read = bytesPerSecond === Infinity ? room : ((now - at) / 1000) * bytesPerSecond;
    ready = Math.max(ready, Math.min(room, ready + read));
    at = now;
  };
  return {
    /** @returns when there will be so much: not later than now, and it is taken */
    take(bytes: number, bytesPerSecond: number, now: number): number {
      fill(bytesPerSecond, Math.max(readAheadBytes, bytes), now);
      // Reckoned in fractions: what lacks a thousandth of a byte is there.
      if (ready + 0.001 < bytes) return now + ((bytes - ready) / bytesPerSecond) * 1000;
      ready -= bytes;
      return now;
    },
    giveBack: (bytes: number) => (ready += bytes),
  };
}

/** Bytes per second that were accepted between two moments, in ms. */
export function goodput(bulks: readonly Bulk[], from: number, to: number): number {
  let bytes = 0;
  for (const { refused, sentAt, endedAt, bytes: size } of bulks) {
    if (refused || endedAt <= from || sentAt >= to) continue;
    // Of a bulk at the edge the part that lies within.
    const within = Math.min(endedAt, to) - Math.max(sentAt, from);
    bytes += size * (within / (endedAt - sentAt));
  }
  return (bytes / (to - from)) * 1000;
}
