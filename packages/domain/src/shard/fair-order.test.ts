import { fairPriorities, type WaitingJob } from './fair-order';

function add(waiting: WaitingJob[], key: string, count: number): void {
  waiting.push(...fairPriorities(waiting, key, count).map((priority) => ({ key, priority })));
}

/** The first that waits goes; the older one of two equals. */
function take(waiting: WaitingJob[]): string {
  const front = Math.min(...waiting.map(({ priority }) => priority));
  const at = waiting.findIndex(({ priority }) => priority === front);
  return waiting.splice(at, 1)[0]?.key ?? '';
}

test('a migration that starts late takes turns with one of many shards', () => {
  const waiting: WaitingJob[] = [];
  add(waiting, 'large', 500);
  for (let i = 0; i < 300; i += 1) take(waiting);
  add(waiting, 'small', 3);
  const taken = Array.from({ length: 7 }, () => take(waiting)).join(' ');
  expect(taken).toBe('large large small large small large small');
});

test('migrations that start again and again do not hold up a waiting one', () => {
  const waiting: WaitingJob[] = [];
  add(waiting, 'large', 10);
  let taken = 0;
  for (let turn = 0; turn < 20; turn += 1) {
    if (turn % 2 === 0) add(waiting, `new-${turn}`, 1);
    if (take(waiting) === 'large') taken += 1;
  }
  expect(taken).toBeGreaterThanOrEqual(9);
});

test('a job that comes back goes behind the others of its migration', () => {
  expect(
    fairPriorities(
      [
        { key: 'a', priority: 7 },
        { key: 'a', priority: 9 },
      ],
      'a',
      1,
    ),
  ).toEqual([10]);
});

test('an empty queue begins again, and no priority leaves the range', () => {
  expect(fairPriorities([], 'a', 2)).toEqual([1, 2]);
  const max = 2 ** 21 - 1;
  expect(fairPriorities([{ key: 'a', priority: max }], 'a', 2)).toEqual([max, max]);
});
