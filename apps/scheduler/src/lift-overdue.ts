import { setMaxListeners } from 'node:events';
import { timeLimit } from '@aosc/signals';
import { createDrives } from './drives';
import type { LookingAfter } from './looking-after';
import { startTicks } from './ticks';

/** Blocks are looked for at least this often, however rarely the rest is looked after. */
const mostLookEveryMs = 2000;
/** A node may take a request and never answer it. Who asks again asks the next node, so the first limits are short. */
const firstLookLimitMs = 5000;
const firstLiftLimitMs = 10_000;
/** Blocks lifted at once: below the number of connections to a node, for the looks need one. */
const mostLifts = 32;

export interface BlockLifter {
  stop(): void;
}

/**
 * The dead man's rule: past its bound a write block is lifted. It needs OpenSearch alone, and waits for nothing else:
 * Redis may hang, the queue be paused by somebody, the abort of another migration not get on.
 */
export function startBlockLifter(options: LookingAfter, signal: AbortSignal): BlockLifter {
  const { cluster, installation, logger, requestTimeoutMs, isUrgent, drive, driven } = options;
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  setMaxListeners(0, ending); // one for each look
  const lifts = createDrives(
    {
      drive,
      driven,
      logger,
      most: mostLifts,
      firstLimitMs: Math.min(firstLiftLimitMs, requestTimeoutMs),
      mostLimitMs: requestTimeoutMs,
      // Applications wait for nothing of what is left of the abort then.
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
      lifts.begin(active.map(({ record }) => record).filter(isUrgent));
    } finally {
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
  return {
    stop() {
      ticks.stop();
      stopping.abort(new Error('the process is shutting down'));
    },
  };
}
