import { PassThrough } from 'node:stream';
import { createLogger, createMetrics } from '@aosc/telemetry';
import { startFleetFigures } from './fleet-figures';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const logger = createLogger({ app: 'scheduler', level: 'error', stream: new PassThrough().resume() });
const none = { waiting: 0, active: 0, delayed: 0, due: 0 };

test('workers, permits and jobs are shown again and again; without Redis the first and the last are unknown', async () => {
  const metrics = createMetrics('scheduler');
  let redis = () => Promise.resolve();
  let [workers, permits, forgotten] = [0, 2, 0];
  const figures = startFleetFigures({
    queues: {
      workers: { count: () => redis().then(() => workers) },
      countJobs: () =>
        redis().then(() => ({
          advance: none,
          backfill: { ...none, waiting: 4, due: 3 },
          replay: { ...none, due: 2 },
          'catch-up': { ...none, due: 1 },
        })),
    },
    settings: { current: () => ({ backfill: { maxConcurrentPerNode: permits } }) },
    progress: { forgetOld: () => (forgotten += 1) },
    metrics,
    logger,
  });
  const lines = async () =>
    (await metrics.render()).match(
      /^aosc_(workers|backfill_permits|jobs\{queue="backfill",state="waiting"|shard_jobs_due).*/gm,
    );
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await lines()).toEqual([
    'aosc_shard_jobs_due{work="backfill",app="scheduler"} 3',
    'aosc_shard_jobs_due{work="replay",app="scheduler"} 2',
    'aosc_shard_jobs_due{work="catch_up",app="scheduler"} 1',
    'aosc_workers{app="scheduler"} 0',
    'aosc_backfill_permits_per_node{app="scheduler"} 2',
    'aosc_jobs{queue="backfill",state="waiting",app="scheduler"} 4',
  ]);
  [workers, permits] = [3, 0];
  redis = () => Promise.reject(new Error('away'));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await lines()).toEqual([
    'aosc_workers{app="scheduler"} Nan',
    'aosc_backfill_permits_per_node{app="scheduler"} 0',
  ]);
  expect(forgotten).toBe(2);
  figures.stop();
});
