import { createTurns } from './turns';

function createLoop(bounds: { readonly maxWaitingOfClient?: number; readonly maxWaiting?: number } = {}) {
  const callbacks: (() => void)[] = [];
  const done: string[] = [];
  const turns = createTurns({
    maxWaitingOfClient: 10,
    maxWaiting: 100,
    ...bounds,
    nextTurn: (callback) => callbacks.push(callback),
  });
  const take = (client: string, name: string, isLate = false): boolean =>
    turns.take(client, () => done.push(name), isLate);
  /** @returns what was done in each turn, until there is nothing left to do */
  const runAll = (): string[][] => {
    const all: string[][] = [];
    while (callbacks.length > 0) {
      callbacks.splice(0).forEach((callback) => callback());
      all.push(done.splice(0));
    }
    return all;
  };
  return { turns, take, runAll };
}

test('each turn of the loop has one piece of work, and clients take turns', () => {
  const { take, runAll } = createLoop();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) take(name.charAt(0), name);
  expect(runAll()).toEqual([['a1'], ['b1'], ['c1'], ['a2'], ['b2'], ['a3']]);
  take('a', 'a4');
  expect(runAll()).toEqual([['a4']]);
});

test('what comes while work is done waits for its own turn', () => {
  const { turns, take, runAll } = createLoop();
  turns.take('a', () => {
    take('a', 'later');
    take('b', 'other');
  });
  expect(runAll()).toEqual([[], ['later'], ['other']]);
});

test('work that is late stands behind, and gets each fourth turn that both wait for', () => {
  const { take, runAll } = createLoop();
  for (const name of ['x1', 'y1', 'x2']) take(name.charAt(0), name, true);
  for (const name of ['a1', 'b1', 'a2', 'a3', 'a4']) take(name.charAt(0), name);
  expect(runAll().flat()).toEqual(['a1', 'b1', 'a2', 'x1', 'a3', 'a4', 'y1', 'x2']);
});

test('so much of one client waits, and so much of all', () => {
  const { take, runAll } = createLoop({ maxWaitingOfClient: 2, maxWaiting: 3 });
  expect([take('a', 'a1'), take('a', 'a2', true), take('a', 'a3')]).toEqual([true, true, false]);
  expect([take('b', 'b1'), take('c', 'c1')]).toEqual([true, false]);
  expect(runAll()).toEqual([['a1'], ['b1'], ['a2']]);
  expect(take('c', 'c1')).toBe(true);
});

test('work that throws keeps nobody else from a turn', () => {
  const { turns, take, runAll } = createLoop();
  turns.take('a', () => {
    throw new Error('broken');
  });
  take('b', 'b1');
  expect(runAll).toThrow('broken');
  expect(runAll()).toEqual([['b1']]);
});
