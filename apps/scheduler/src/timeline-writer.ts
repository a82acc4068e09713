import { type MigrationRecord, recordSchemaVersion, type ShardRecord } from '@aosc/contract';
import {
  addTimelinePoint,
  isTerminalPhase,
  noTimelinePoints,
  peakOf,
  sampleTimeline,
  timelineIntervalMs,
  type TimelinePoint,
} from '@aosc/domain';
import { isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import type { MigrationStore } from '@aosc/store';
import type { Logger } from '@aosc/telemetry';

/** Curves written at once: a moment that does not fit is left out, and the next one comes soon. */
const maxWrites = 4;
/**
 * Migrations whose last moment is remembered. After forgetting one, its next moment comes too early, which is harmless.
 */
const maxKept = 1_000;
/** Applications' writes wait, or just did: the writer sends nothing then that is not needed. */
const onTheClock: readonly MigrationRecord['phase'][] = ['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'];

export interface TimelineWriterOptions {
  readonly store: Pick<MigrationStore, 'readTimeline' | 'replaceTimeline'>;
  readonly logger: Logger;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly requestTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Keeps the curve of each migration: rates and gaps, from what the coordinator reads anyway. The copy never waits for
 * it, and loses nothing when it fails.
 */
export function createTimelineWriter(options: TimelineWriterOptions) {
  const { store, logger, now, requestTimeoutMs, signal } = options;
  const last = new Map<string, Pick<TimelinePoint, 'atMillis' | 'phase'>>();
  let running = 0;

  async function write(key: string, point: TimelinePoint): Promise<void> {
    const call = { signal: timeLimit(requestTimeoutMs, signal) };
    const stored = await store.readTimeline(key, call);
    const before = stored?.record.points ?? noTimelinePoints;
    const points = addTimelinePoint(before, point);
    if (points === before) return;
    const record = {
      kind: 'timeline',
      schemaVersion: recordSchemaVersion,
      key,
      points,
      peakDocumentsPerSecond: peakOf({ ...stored?.record, points }),
    } as const;
    await store.replaceTimeline(stored, record, call);
  }

  return {
    /** Notes a look at a migration. Returns at once, and leaves out what can't be written. */
    note(record: MigrationRecord, shards: readonly ShardRecord[]): void {
      const { key, phase, startTimeMillis } = record;
      const atMillis = now();
      const before = last.get(key);
      const isDue =
        before === undefined || atMillis - before.atMillis >= timelineIntervalMs(startTimeMillis, atMillis);
      const hasChanged = before?.phase !== phase;
      // The guard looks again and again after the end, which is one moment of the curve.
      const isWanted = isTerminalPhase(phase) ? hasChanged && before !== undefined : isDue || hasChanged;
      if (!isWanted || onTheClock.includes(phase) || running >= maxWrites || signal.aborted) return;
      last.delete(key);
      last.set(key, { atMillis, phase });
      const [oldest] = last.keys();
      if (last.size > maxKept && oldest !== undefined) last.delete(oldest);
      running += 1;
      write(key, sampleTimeline(record, shards, atMillis))
        .catch((error: unknown) => {
          // Another scheduler has written this moment, or the next one makes up for it.
          if (isClusterError(error, 'conflict') || signal.aborted) return;
          logger.debug('a moment of the timeline was not written', { migration: record.migrationId, error });
        })
        .finally(() => (running -= 1));
    },
  };
}
export type TimelineWriter = ReturnType<typeof createTimelineWriter>;
