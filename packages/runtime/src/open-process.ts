import { type AppConfig, readOpenSearchAccess, readRedisTls } from '@aosc/config';
import { createQueues, type Queues } from '@aosc/queue';
import { createLogger, createMetrics, type Logger, type Metrics, startMetricsServer } from '@aosc/telemetry';
import { type Cluster, connectCluster } from './connect';
import { type InstallationWatch, watchInstallation } from './installation/watch-installation';
import { type Taking, consumeWhileOwned } from './installation/consume-while-owned';
import { createReadiness } from './readiness';
import { readPermits, type SettingsWatch, watchSettings } from './settings-watch';
import { stopOnSignal } from './shutdown';
import { systemClock } from './system-clock';

/** Running bulks are waited for this long at shutdown; with the closing of connections it stays below the limit of all. */
const graceMs = 6000;

type SharedConfig = AppConfig<'worker'> | AppConfig<'scheduler'>;

/** What a worker and a scheduler have in common once they are connected. */
export interface ServiceProcess {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** fires when the process has handed everything back */
  readonly signal: AbortSignal;
  readonly cluster: Cluster;
  readonly queues: Queues;
  /** for consumers: they read the same Redis */
  readonly queueOptions: QueueOptions;
  /** logs trouble with the queue, which passes */
  readonly onQueueError: (error: Error) => void;
  readonly installation: InstallationWatch;
  readonly settings: SettingsWatch;
  /** Called at shutdown, the last one first. */
  onClose(close: () => unknown): void;
  /** Takes jobs from now on, while the installation is ours. @throws InstallationRefusedError when it is another's */
  takeJobs(open: () => Promise<Taking>): Promise<void>;
}

type QueueOptions = Omit<Parameters<typeof createQueues>[0], 'role' | 'readPermits'>;

/**
 * Starts what every process does that takes jobs: connects to OpenSearch (waiting for one that is not up yet) and
 * Redis, watches installation and settings, serves its figures, and closes all of it in reverse order on a signal.
 */
export async function openProcess(
  app: 'worker' | 'scheduler',
  config: SharedConfig,
): Promise<ServiceProcess> {
  const logger = createLogger({ app, level: config.logLevel });
  const metrics = createMetrics(app);
  const ending = new AbortController();
  const { signal } = ending;
  const closers: (() => unknown)[] = [];
  stopOnSignal(logger, async () => {
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
  const onQueueError = (error: Error): void => logger.warn('queue trouble', { event: 'queue_error', error });
  const queueOptions = {
    redisUrl: config.redisUrl,
    redisTls: readRedisTls(config),
    prefix: config.queuePrefix,
    clusterUuid: cluster.clusterUuid,
    onError: onQueueError,
  };
  const queues = createQueues({
    ...queueOptions,
    role: 'impatient',
    readPermits: () => readPermits(cluster.store, { signal }),
  });
  closers.push(() => queues.close());
  const { ports, store } = cluster;
  const installation = watchInstallation(
    { cluster: ports, store, mark: queues.mark, clock: systemClock },
    logger,
    signal,
  );
  closers.push(() => installation.stop());
  const settings = await watchSettings(store, logger, signal);
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
  return {
    logger,
    metrics,
    signal,
    cluster,
    queues,
    queueOptions,
    onQueueError,
    installation,
    settings,
    onClose: (close) => closers.push(close),
    async takeJobs(open) {
      const work = await consumeWhileOwned(installation, open, graceMs, logger);
      closers.push(() => work.close());
      logger.info(`${app} started`, { event: 'process_started' });
    },
  };
}

/** Runs a process; what it can't start for is said in one line. */
export function runProcess(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    // Connections and timers that were opened by then would keep a process alive that does nothing.
    process.exit(1);
  });
}
