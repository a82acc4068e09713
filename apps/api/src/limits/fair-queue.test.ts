import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairQueue, type FairQueueOptions } from './fair-queue';

/** Tasks that end when the test says so, and the order in which they began. */
function createTasks(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue({ maxRunning: 1, maxWaitingOfClient: 2, maxWaiting: 6, ...options });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (client: string, name = client): Promise<string | undefined> =>
    queue.run(client, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endAll = async (): Promise<void> => {
    while (ends.length > 0) {
      ends.shift()?.();
      await nextTurn();
    }
  };
  return { queue, run, begun, ends, endAll };
}

test('so many run at once, two of each client wait, and the rest is turned away', async () => {
  const { run, begun, endAll } = createTasks({ maxRunning: 2 });
  const all = ['1', '2', '3', '4', '5', '6'].map((name) => run('a', name));
  await nextTurn();
  expect(begun).toEqual(['1', '2']);
  await endAll();
  expect(await Promise.all(all)).toEqual(['1', '2', '3', '4', undefined, undefined]);
});

test('clients take turns: who came once does not wait for all of who came often', async () => {
  const { run, begun, endAll } = createTasks();
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2'), run('c')];
  await nextTurn();
  await endAll();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c', 'a3', 'b2']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c']);
});

test('clients that are late stand behind the others, also when they became so while they waited, and get each fourth place', async () => {
  const late = new Set(['x']);
  const { run, begun, endAll } = createTasks({ maxWaiting: 20, isLate: (client) => late.has(client) });
  const all = [run('first'), run('x', 'x1'), run('y', 'y1'), run('x', 'x2')];
  all.push(...['a', 'b', 'c', 'd', 'e'].map((name) => run(name)));
  late.add('y');
  await nextTurn();
  await endAll();
  expect(begun).toEqual(['first', 'a', 'b', 'c', 'x1', 'd', 'e', 'y1', 'x2']);
  await Promise.all(all);
});

test('when all places are taken, a newcomer gets one of a client that has two; where none has, it is turned away', async () => {
  const { run, endAll } = createTasks({ maxWaiting: 3 });
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b'), run('c'), run('d')];
  expect(await all[5]).toBeUndefined();
  expect(await all[2]).toBeUndefined();
  await endAll();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', undefined, 'b', 'c', undefined]);
});

test('where each client has one place, a late one gives its own up to a client that is not, and to no other', async () => {
  const { run, endAll } = createTasks({
    maxWaiting: 2,
    isLate: (client) => client === 'x' || client === 'y',
  });
  const all = [run('a'), run('x'), run('b'), run('y'), run('c'), run('d')];
  expect(await Promise.all([all[1], all[3], all[5]])).toEqual([undefined, undefined, undefined]);
  await endAll();
  expect(await Promise.all(all)).toEqual(['a', undefined, 'b', undefined, 'c', undefined]);
});

test('a task that fails gives its place back, and ends where nobody waits leave nothing behind', async () => {
  const { queue, run, endAll } = createTasks();
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  for (let times = 0; times < 3; times += 1) {
    const again = run('a', `${times}`);
    await nextTurn();
    await endAll();
    expect(await again).toBe(`${times}`);
  }
});
