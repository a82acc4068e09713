import { parseEnv, readOpenSearchAccess, readRedisTls } from '@aosc/config';
import { createQueues, parseShardJob } from '@aosc/queue';
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
import { type FleetOptions, startFleet } from './consumers';
import { createShardHandlers } from './shard-handler';
import { createPacing } from './shard-pacing';
import { createShardMetrics } from './shard-metrics';

/** Running bulks are waited for this long at shutdown; with the closing of connections it stays below 10 s. */
const graceMs = 6000;
const shutdownLimitMs = 9500;

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'worker');
  const logger = createLogger({ app: 'worker', level: config.logLevel });
  const metrics = createMetrics('worker');
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
  const handlerOf = createShardHandlers({
    cluster,
    queues,
    logger,
    metrics: createShardMetrics(metrics),
    pacing: createPacing(() => settings.current()),
    timing: {
      heartbeatMs: config.heartbeatMs,
      staleAfterMs: config.lockDurationMs,
      snapshotKeepAliveMs: config.snapshotKeepAliveMs,
      requestTimeoutMs: config.requestTimeoutMs,
      replayIntervalMs: config.replayIntervalMs,
      sliceMs: 10_000,
    },
    signal,
  });
  const fleetOptions: FleetOptions = {
    shared: {
      ...shared,
      // A job that has left the queue may be wanted again at once: while it was there, adding it did nothing.
      onSettled: (payload) => {
        queues.wakeMigration(parseShardJob(payload).key).catch(onError);
      },
    },
    lockDurationMs: config.lockDurationMs,
    stalledCheckMs: config.stalledCheckMs,
    concurrency: {
      backfill: config.workerBackfillConcurrency,
      replay: config.workerReplayConcurrency,
      catchUp: config.workerCatchupConcurrency,
    },
    handlerOf,
  };
  const work = await workWhileOurs(
    installation,
    () => startFleet(fleetOptions, cluster, logger, signal),
    graceMs,
    logger,
  );
  closers.push(() => work.close());
  logger.info('worker started', { event: 'process_started' });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  // Connections and timers that were opened by then would keep a process alive that does nothing.
  process.exit(1);
});
