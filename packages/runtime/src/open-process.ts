import { type AppConfig, hostOf, isLoopback, readOpenSearchAccess, readRedisAccess } from '@aosc/config';
import { type Consumer, createQueues } from '@aosc/queue';
import { countEvents, createMetrics, openTraces, startMetricsServer } from '@aosc/telemetry';
import { connectCluster } from './connect';
import { watchInstallation } from './installation/watch-installation';
import { announced } from './installation/announced';
import { consumeWhileOwned } from './installation/consume-while-owned';
import { beginLife } from './process-life';
import { createReadiness } from './readiness';
import { readPermits, watchSettings } from './settings-watch';
import { systemClock } from './system-clock';
import { logQueueTrouble } from './log-queue-trouble';

/**
 * How long a shutdown waits for running bulks; together with the closing of connections it stays below the limit of
 * all.
 */
const graceMs = 6000;

type SharedConfig = AppConfig<'worker'> | AppConfig<'scheduler'>;

/**
 * Starts what every process that takes jobs needs: connects to OpenSearch (waiting for a cluster that is not up yet)
 * and Redis, watches installation and settings, serves its figures, and closes all of it in reverse order on a signal.
 */
export async function openProcess(app: 'worker' | 'scheduler', config: SharedConfig) {
  const { signal, onClose, logStarted, ...life } = beginLife(app, config);
  const metrics = createMetrics(app);
  const logger = countEvents(life.logger, (event) => metrics.countEvent(event));
  const traces = await openTraces(app, config, logger);
  // Closed last, so that traces also show how the others end.
  onClose(() => traces.close());
  const cluster = await connectCluster(
    {
      urls: config.openSearchUrls,
      requestTimeoutMs: config.requestTimeoutMs,
      ...readOpenSearchAccess(config),
    },
    logger,
    traces,
    signal,
  );
  onClose(() => cluster.client.close());
  const onQueueError = logQueueTrouble(logger);
  const queueOptions = {
    ...readRedisAccess(config),
    prefix: config.queuePrefix,
    clusterUuid: cluster.clusterUuid,
    onError: onQueueError,
  };
  const queues = createQueues({
    ...queueOptions,
    role: 'impatient',
    readPermits: () => readPermits(cluster.store, { signal }),
  });
  onClose(() => queues.close());
  const { ports, store } = cluster;
  const installation = watchInstallation(
    { cluster: ports, store, mark: queues.mark, clock: systemClock },
    logger,
    signal,
  );
  onClose(() => installation.stop());
  const settings = await watchSettings(store, logger, signal);
  onClose(() => settings.stop());
  if (config.metricsPort !== 0) {
    const ready = createReadiness(cluster, queues, installation);
    const server = await startMetricsServer({
      host: config.metricsHost,
      port: config.metricsPort,
      allows: (host) => !isLoopback(config.metricsHost) || isLoopback(hostOf(host) ?? ''),
      metrics,
      ready,
      nodes: () => cluster.client.nodes(),
    });
    onClose(() => server.close());
  }
  return {
    logger,
    metrics,
    traces,
    signal,
    cluster,
    queues,
    /** for consumers: they read the same Redis */
    queueOptions,
    /** logs trouble with the queue, which passes */
    onQueueError,
    installation,
    settings,
    onClose,
    /**
     * Takes jobs from now on, while the installation is ours.
     * @throws InstallationRefusedError when it is another's
     */
    async takeJobs(open: () => Consumer): Promise<void> {
      const presence = app === 'worker' ? queues.workers : queues.schedulers;
      const times = { everyMs: config.heartbeatMs, lastsMs: config.lockDurationMs };
      const openAnnounced = () => announced(open(), presence, times, logger);
      const work = await consumeWhileOwned(installation, openAnnounced, graceMs, logger);
      onClose(() => work.close());
      logStarted(`${app} started`);
    },
  };
}
