import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLimiter } from './limit-concurrency';

test('runs so many at once, lets so many wait in turn, and turns the rest away', async () => {
  const limiter = createLimiter(2, 1);
  const ends: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => ends.push(resolve));
  const first = limiter.run(task);
  const second = limiter.run(task);
  const third = limiter.run(task);
  expect(limiter.run(task)).toBeUndefined();
  await nextTurn();
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await first;
  await nextTurn();
  expect(ends).toHaveLength(3);
  ends[1]?.();
  ends[2]?.();
  await Promise.all([second, third]);
  expect(limiter.run(() => Promise.resolve(1))).toBeDefined();
});

test('a task that fails gives its place back', async () => {
  const limiter = createLimiter(1, 0);
  await expect(limiter.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limiter.run(() => Promise.resolve(7))).resolves.toBe(7);
});
