import { type AppConfig, parseEnv } from '@aosc/config';
import { BlockWatch, isUrgent, NodeWatch, ShardWatch } from '@aosc/engine';
import { advanceQueue, createConsumer } from '@aosc/queue';
import { openProcess, runProcess, systemClock } from '@aosc/runtime';
import { Cooldown, createMandate, UnchangedWatch } from '@aosc/signals';
import { createAdvanceHandler, driveMigration, liftBlockWithoutRecord } from './advance-handler';
import { createDriveToSwap } from './drive-to-swap';
import { BlockMemory } from './block-memory';
import { startWriteBlockWatchdog } from './write-block-watchdog';
import type { DirectDriveOptions } from './migration-runner';
import { startReconciler } from './reconcile';
import { startFleetFigures } from './fleet-figures';
import { createProgressFigures } from './progress-figures';
import { createTimelineWriter } from './timeline-writer';
import { createWakeTimers } from './wake-timers';

/** Migrations driven at once by one scheduler. Most steps are short; an abort that waits for bulks to end is not. */
const concurrency = 32;
/** Under the write block a dead scheduler must be replaced in seconds. */
const advanceLockMs = 5000;
const advanceStalledCheckMs = 2000;

const timingOf = (config: AppConfig<'scheduler'>) => {
  const { requestTimeoutMs, writeBlockMaxMs, guardMs, lockDurationMs: staleAfterMs } = config;
  return { requestTimeoutMs, writeBlockMaxMs, guardMs, staleAfterMs };
};

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'scheduler');
  const service = await openProcess('scheduler', config);
  const { cluster, queues, logger, metrics, traces, settings, installation, signal } = service;
  const timers = createWakeTimers((key) => {
    queues.wakeMigration(key).catch(service.onQueueError);
  });
  service.onClose(() => timers.stop());
  const progress = createProgressFigures(metrics, () => systemClock.now());
  const settingsLooks = new Cooldown(() => systemClock.monotonic());
  const driving = {
    cluster,
    queues,
    logger,
    metrics,
    traces,
    nodes: new NodeWatch(cluster.ports, systemClock, config.lostNodeWaitMs),
    timing: timingOf(config),
    blocks: new BlockWatch(systemClock),
    cutover: () => settings.current().cutover,
    troubles: new UnchangedWatch(() => systemClock.monotonic()),
    areSettingsDue: (key: string) => settingsLooks.begins(key, config.reconcileIntervalMs),
    remembered: new BlockMemory(),
    progress,
    timelines: createTimelineWriter({
      store: cluster.store,
      logger,
      now: () => systemClock.now(),
      requestTimeoutMs: config.requestTimeoutMs,
      signal,
    }),
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
  const directDrive: DirectDriveOptions = {
    ...driving,
    installation,
    intervalMs: config.reconcileIntervalMs,
    requestTimeoutMs: config.requestTimeoutMs,
    guardMs: config.guardMs,
    isUrgent: (record) => isUrgent(record, driving.blocks, { ...config, ...settings.current().cutover }),
    driven: new Set(),
    drive: async (record, { isDone, limitMs, signal: bounded }) => {
      await driveMigration(driving, record, createMandate(limitMs, systemClock, bounded), { isDone });
    },
    driveToSwap: createDriveToSwap(driving),
    liftWithoutRecord: (record, { limitMs, signal: bounded }) =>
      liftBlockWithoutRecord(driving, record, createMandate(limitMs, systemClock, bounded), limitMs),
  };
  const lifter = startWriteBlockWatchdog(directDrive, signal);
  service.onClose(() => lifter.stop());
  const reconciler = startReconciler(directDrive, signal);
  service.onClose(() => reconciler.stop());
  const figures = startFleetFigures({ queues, settings, progress, metrics, logger });
  service.onClose(() => figures.stop());
  const openConsumer = () =>
    createConsumer({
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
  await service.takeJobs(openConsumer);
}

runProcess(main);
