import type { MigrationRecord } from '@aosc/contract';
import { onAbort, startTicks, timeLimit } from '@aosc/signals';
import { holdsWriters } from '@aosc/domain';
import { holdsBlock } from '@aosc/engine';
import { createMigrationRunner, type DirectDriveOptions, type Drive } from './migration-runner';

/** The watchdog looks for blocks at least this often, however rarely the scheduler looks at the rest. */
const mostLookEveryMs = 2000;
/** A hold may last a few seconds only, so the memory is looked through in between. */
const recallEveryMs = 250;
/** A node may take a request and never answer it. The next try asks the next node, so the first limits are short. */
const firstLookLimitMs = 5000;
const firstLiftLimitMs = 10_000;
/** Blocks lifted at once: below the number of connections to a node, because the looks need one. */
const maxLifts = 32;

/**
 * The dead man's rule: past its bound a write block is lifted. The watchdog needs only OpenSearch, and waits for
 * nothing else: Redis may hang, an operator may have paused the queue, the abort of another migration may be stuck. It
 * does not need the records either, which may be blocked or gone: it remembers those with a block as this process last
 * saw them, in these looks or while it drove them.
 */
export function startWriteBlockWatchdog(options: DirectDriveOptions, signal: AbortSignal): { stop(): void } {
  const { cluster, installation, logger, metrics, requestTimeoutMs, isUrgent, driven, remembered } = options;
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const lifts = createMigrationRunner(
    {
      drive: thenUnwritten(options),
      driven,
      logger,
      max: maxLifts,
      firstLimitMs: Math.min(firstLiftLimitMs, requestTimeoutMs),
      maxLimitMs: requestTimeoutMs,
      // From then on no application waits for the rest of the abort.
      isDone: (record) => !isUrgent(record),
    },
    ending,
  );

  const shortest = Math.min(firstLookLimitMs, requestTimeoutMs);
  let limitMs = shortest;
  const look = async (): Promise<void> => {
    // The records of another cluster are not ours to drive, not even to lift a block.
    if (!installation.isRightCluster) return;
    const bounded = timeLimit(limitMs, ending);
    try {
      const active = await cluster.store.listActive({ signal: bounded });
      for (const { record } of active) remembered.note(record);
    } finally {
      // Also when the look has failed, or no longer finds a record that was there: then the memory counts.
      lifts.begin(remembered.all().filter(isUrgent));
      metrics.setWriteBlocks(remembered.all().filter(holdsBlock).map(ageSeconds));
      limitMs = bounded.aborted ? Math.min(limitMs * 2, requestTimeoutMs) : shortest;
    }
  };

  const ticks = startTicks(Math.min(options.intervalMs, mostLookEveryMs), look, (error) => {
    if (ending.aborted) return;
    logger.warn('overdue write blocks could not be looked for, trying again', {
      event: 'reconcile_failed',
      error,
    });
  });
  const recalls = startTicks(
    recallEveryMs,
    () => {
      if (!installation.isRightCluster) return Promise.resolve();
      // All of them: the runner forgets whose turn it is of those that are not named.
      const urgent = remembered.all().filter(isUrgent);
      if (urgent.some(holdsWriters)) lifts.begin(urgent);
      return Promise.resolve();
    },
    () => undefined,
  );
  return {
    stop() {
      ticks.stop();
      recalls.stop();
      stopping.abort(new Error('the process is shutting down'));
    },
  };
}

/** By the clocks of the machines, which may differ: good for a figure, not for the bound. */
function ageSeconds({ writeBlock }: MigrationRecord): number {
  return Math.max(0, Date.now() - (writeBlock?.requestedAtMillis ?? Date.now())) / 1000;
}

/**
 * Drives a migration on, which lifts its block and writes that down. When the drive has failed, or half of its time has
 * passed, it lifts the block without the record.
 */
function thenUnwritten({
  drive,
  liftWithoutRecord,
  remembered,
}: Pick<DirectDriveOptions, 'drive' | 'liftWithoutRecord' | 'remembered'>): Drive {
  return async (record, span) => {
    const driven = drive(record, span);
    // The time-out is reported below.
    driven.catch(() => undefined);
    await Promise.race([driven.catch(() => undefined), ended(timeLimit(span.limitMs / 2, span.signal))]);
    span.signal.throwIfAborted();
    const outcome = await liftWithoutRecord(record, { limitMs: span.limitMs / 2, signal: span.signal });
    if (outcome === 'not_ours' || outcome === 'committed') remembered.forget(record);
    await driven;
  };
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}
