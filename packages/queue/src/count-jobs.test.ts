import { countJobs } from './count-jobs';

const queueWith = (counts: Record<string, number>, limit: number | null, isPaused: boolean) => ({
  getJobCounts: () => Promise.resolve(counts),
  getGlobalConcurrency: () => Promise.resolve(limit),
  isPaused: () => Promise.resolve(isPaused),
});

test.each<[string, Record<string, number>, boolean, number | null, number]>([
  ['an empty queue', {}, false, null, 0],
  ['what runs and what waits', { active: 2, waiting: 3, prioritized: 1 }, false, null, 6],
  ['what waits for a permit is not due', { active: 2, prioritized: 9 }, false, 4, 4],
  ['0 permits', { prioritized: 9 }, false, 0, 0],
  ['permits that were lowered under jobs that run', { active: 3, prioritized: 9 }, false, 1, 3],
  ['a paused queue', { active: 1, waiting: 9 }, true, null, 1],
])('due: %s', async (_, counts, paused, limit, due) => {
  expect((await countJobs([queueWith(counts, limit, paused)])).due).toBe(due);
});

test('several queues count together, each with its own limit', async () => {
  const queues = [
    queueWith({ active: 1, prioritized: 5, delayed: 2 }, 2, false),
    queueWith({ waiting: 3 }, 2, false),
  ];
  expect(await countJobs(queues)).toEqual({ waiting: 8, active: 1, delayed: 2, due: 4 });
});
