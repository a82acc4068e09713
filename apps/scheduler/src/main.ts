import { parseEnv, readOpenSearchAccess, readRedisTls } from '@aosc/config';
import { advanceQueue, createConsumer, createQueues } from '@aosc/queue';
import {
  connectCluster,
  createReadiness,
  stopOnSignal,
  systemClock,
  watchInstallation,
  watchSettings,
  workWhileOurs,
} from '@aosc/runtime';
import { createLogger, createMetrics, startMetricsServer } from '@aosc/telemetry';
import { createAdvanceHandler, driveMigration } from './advance-handler';
import { startReconciler } from './reconcile';
import { createWakeTimers } from './wake-timers';

/** Migrations driven at once by one scheduler. Most steps are short; an abort that waits for bulks to end is not. */
const concurrency = 32;
const graceMs = 6000;
const shutdownLimitMs = 9500;
/** Under the write block a dead scheduler must be replaced in seconds. */
const advanceLockMs = 5000;
const advanceStalledCheckMs = 2000;

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'scheduler');
  const logger = createLogger({ app: 'scheduler', level: config.logLevel });
  const metrics = createMetrics('scheduler');
  const ending = new AbortController();
  const { signal } = ending;
  const closers: (() => unknown)[] = [];
  stopOnSignal(logger, shutdownLimitMs, async () => {
    for (const close of closers.reverse()) await close();
    ending.abort(new Error('the process is shutting down'));
  });

  const cluster = await connectCluster(
    {
      urls: config.openSearchUrls,
      requestTimeoutMs: config.requestTimeoutMs,
      ...readOpenSearchAccess(config),
    },
    logger,
    signal,
  );
  closers.push(() => cluster.client.close());
  const onError = (error: Error): void => logger.warn('queue trouble', { event: 'queue_error', error });
  const shared = {
    redisUrl: config.redisUrl,
    redisTls: readRedisTls(config),
    prefix: config.queuePrefix,
    clusterUuid: cluster.clusterUuid,
    onError,
  };
  const queues = createQueues({ ...shared, role: 'impatient' });
  closers.push(() => queues.close());
  const { admin, store } = cluster;
  const installation = watchInstallation(
    { admin, store, mark: queues.mark, clock: systemClock },
    logger,
    signal,
  );
  closers.push(() => installation.stop());
  const settings = await watchSettings(cluster.store, logger, signal);
  closers.push(() => settings.stop());
  if (config.metricsPort !== 0) {
    const ready = createReadiness(cluster, queues, installation);
    const server = await startMetricsServer({
      host: config.metricsHost,
      port: config.metricsPort,
      metrics,
      ready,
    });
    closers.push(() => server.close());
  }
  const timers = createWakeTimers((key) => {
    queues.wakeMigration(key).catch(onError);
  });
  closers.push(() => timers.stop());
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
  };
  const reconciler = startReconciler(
    {
      ...driving,
      settings,
      installation,
      intervalMs: config.reconcileIntervalMs,
      writeBlockMaxMs: config.writeBlockMaxMs,
      drive: async (record) => {
        const bounded = AbortSignal.any([signal, AbortSignal.timeout(config.requestTimeoutMs)]);
        await driveMigration(driving, record, {
          signal: bounded,
          assertInCharge: () => bounded.throwIfAborted(),
        });
      },
    },
    signal,
  );
  closers.push(() => reconciler.stop());
  const openConsumer = async () => {
    // Before the first job: until they are set, a node whose permits are 0 would be granted the default.
    await queues.setPermits(settings.current().backfill.maxConcurrentPerNode);
    return createConsumer({
      ...shared,
      queue: advanceQueue,
      concurrency,
      lockDurationMs: Math.min(advanceLockMs, config.lockDurationMs),
      stalledCheckMs: Math.min(advanceStalledCheckMs, config.stalledCheckMs),
      handle: createAdvanceHandler({
        ...driving,
        wakeLater: (key, delayMs) => timers.wakeLater(key, delayMs),
      }),
    });
  };
  const work = await workWhileOurs(installation, openConsumer, graceMs, logger);
  closers.push(() => work.close());
  logger.info('scheduler started', { event: 'process_started' });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  // Connections and timers that were opened by then would keep a process alive that does nothing.
  process.exit(1);
});
