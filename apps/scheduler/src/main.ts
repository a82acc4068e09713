import { parseEnv } from '@aosc/config';
import { ShardWatch } from '@aosc/engine';
import { advanceQueue, createConsumer } from '@aosc/queue';
import { openProcess, runProcess, systemClock } from '@aosc/runtime';
import { timeLimit } from '@aosc/signals';
import { createAdvanceHandler, driveMigration } from './advance-handler';
import { startReconciler } from './reconcile';
import { createWakeTimers } from './wake-timers';

/** Migrations driven at once by one scheduler. Most steps are short; an abort that waits for bulks to end is not. */
const concurrency = 32;
/** Under the write block a dead scheduler must be replaced in seconds. */
const advanceLockMs = 5000;
const advanceStalledCheckMs = 2000;

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'scheduler');
  const service = await openProcess('scheduler', config);
  const { cluster, queues, logger, metrics, settings, installation, signal } = service;
  const timers = createWakeTimers((key) => {
    queues.wakeMigration(key).catch(service.onQueueError);
  });
  service.onClose(() => timers.stop());
  const driving = {
    cluster,
    queues,
    logger,
    metrics,
    timing: {
      requestTimeoutMs: config.requestTimeoutMs,
      writeBlockMaxMs: config.writeBlockMaxMs,
      guardMs: config.guardMs,
      staleAfterMs: config.lockDurationMs,
    },
    liveness: {
      watch: new ShardWatch(() => systemClock.monotonic()),
      settings: () => {
        const { liveness, backfill } = settings.current();
        return { ...liveness, permits: backfill.maxConcurrentPerNode };
      },
      countWorkers: () => queues.workers.count(),
      onOwnerLost: (how: 'silent' | 'stuck') => metrics.countOwnerLost(how),
    },
  };
  const reconciler = startReconciler(
    {
      ...driving,
      installation,
      intervalMs: config.reconcileIntervalMs,
      writeBlockMaxMs: config.writeBlockMaxMs,
      guardMs: config.guardMs,
      drive: async (record) => {
        const bounded = timeLimit(config.requestTimeoutMs, signal);
        await driveMigration(driving, record, {
          signal: bounded,
          assertInCharge: () => bounded.throwIfAborted(),
        });
      },
    },
    signal,
  );
  service.onClose(() => reconciler.stop());
  const openConsumer = () => {
    const consumer = createConsumer({
      ...service.queueOptions,
      queue: advanceQueue,
      concurrency,
      lockDurationMs: Math.min(advanceLockMs, config.lockDurationMs),
      stalledCheckMs: Math.min(advanceStalledCheckMs, config.stalledCheckMs),
      handle: createAdvanceHandler({
        ...driving,
        wakeLater: (key, delayMs) => timers.wakeLater(key, delayMs),
      }),
    });
    return Promise.resolve(consumer);
  };
  await service.takeJobs(openConsumer);
}

runProcess(main);
