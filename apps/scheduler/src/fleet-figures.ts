import type { JobCounts, Queues } from '@aosc/queue';
import { startTicks } from '@aosc/signals';
import type { Logger, Metrics } from '@aosc/telemetry';
import type { ProgressFigures } from './progress-figures';

/** More often than Prometheus asks by its defaults; each look costs some commands for each data node. */
const lookEveryMs = 10_000;

interface FleetFiguresOptions {
  readonly queues: {
    readonly workers: Pick<Queues['workers'], 'count'>;
    readonly countJobs: Queues['countJobs'];
  };
  readonly settings: { current(): { readonly backfill: { readonly maxConcurrentPerNode: number } } };
  readonly progress: Pick<ProgressFigures, 'forgetOld'>;
  readonly metrics: Pick<Metrics, 'setWorkers' | 'setPermits' | 'setJobs' | 'setDueJobs'>;
  readonly logger: Logger;
}

/** Shows workers, permits and jobs as figures. Nothing depends on them: what Redis does not answer is not shown. */
export function startFleetFigures(options: FleetFiguresOptions): { stop(): void } {
  const { queues, settings, progress, metrics, logger } = options;
  const look = async (): Promise<void> => {
    progress.forgetOld();
    metrics.setPermits(settings.current().backfill.maxConcurrentPerNode);
    const [workers, jobs] = await Promise.all([queues.workers.count(), queues.countJobs()]);
    metrics.setWorkers(workers);
    metrics.setJobs(statesOf(jobs));
    const { backfill, replay, 'catch-up': catchUp } = jobs;
    metrics.setDueJobs({ backfill: backfill.due, replay: replay.due, catch_up: catchUp.due });
  };
  return startTicks(lookEveryMs, look, (error) => {
    metrics.setWorkers(undefined);
    metrics.setJobs(undefined);
    // An autoscaler reads this figure: 0 would make it remove all workers.
    metrics.setDueJobs(undefined);
    logger.debug('Redis does not say how many workers and jobs there are', {
      event: 'workers_unknown',
      error,
    });
  });
}

function statesOf(jobs: JobCounts): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return Object.fromEntries(
    Object.entries(jobs).map(([queue, { waiting, active, delayed }]) => [
      queue,
      { waiting, active, delayed },
    ]),
  );
}
