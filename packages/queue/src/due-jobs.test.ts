import { countDue } from './due-jobs';

const queueWith = (counts: Record<string, number>, paused = false) => ({
  getJobCounts: () => Promise.resolve(counts),
  isPaused: () => Promise.resolve(paused),
});

test.each<[string, Record<string, number>, boolean, number | undefined, number]>([
  ['an empty queue', {}, false, undefined, 0],
  ['what runs and what waits', { active: 2, wait: 3, prioritized: 1 }, false, undefined, 6],
  ['what waits for a permit does not count', { active: 2, prioritized: 9 }, false, 4, 4],
  ['0 permits', { prioritized: 9 }, false, 0, 0],
  ['permits that were lowered under jobs that run', { active: 3, prioritized: 9 }, false, 1, 3],
  ['a paused queue', { active: 1, wait: 9 }, true, undefined, 1],
])('%s', async (_, counts, paused, limit, due) => {
  expect(await countDue(queueWith(counts, paused), limit)).toBe(due);
});
