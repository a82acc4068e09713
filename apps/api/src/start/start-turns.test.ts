import { createStartTurns } from './start-turns';

const here = new AbortController().signal;

/** Starts that end when the test says so. */
function createStarts() {
  const turns = createStartTurns();
  const running: { readonly id: string; readonly end: () => void }[] = [];
  const start = (id: string, isLimited: boolean) =>
    turns.run(
      { id, isLimited },
      here,
      () => new Promise<object>((resolve) => running.push({ id, end: () => resolve({}) })),
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { turns, running, start, settle };
}

test('of limited credentials four starts run at once, the others wait and take turns', async () => {
  const { running, start, settle } = createStarts();
  const all = [...Array.from({ length: 6 }, () => start('a', true)), start('b', true)];
  await settle();
  expect(running.map(({ id }) => id)).toEqual(['a', 'a', 'a', 'a']);
  for (const { end } of running.splice(0, 2)) end();
  await settle();
  expect(running.map(({ id }) => id)).toEqual(['a', 'a', 'a', 'b']);
  while (running.length > 0) {
    running.pop()?.end();
    await settle();
  }
  expect(await Promise.all(all)).toHaveLength(7);
});

test('they keep none of the others out', async () => {
  const { running, start, settle } = createStarts();
  for (let n = 0; n < 10; n++) void start('a', true);
  void start('b', false);
  await settle();
  expect(running.map(({ id }) => id)).toEqual(['a', 'a', 'a', 'a', 'b']);
});

test('what waits has a bound', async () => {
  const { running, start, settle } = createStarts();
  const refused: unknown[] = [];
  for (let n = 0; n < 88; n++) void start('a', false).catch((error: unknown) => refused.push(error));
  await settle();
  expect(running).toHaveLength(16);
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({
    code: 'rate_limited',
    message: 'Too many starts wait already; try again',
  });
});

test('a start that fails makes room', async () => {
  const { turns, running, start, settle } = createStarts();
  for (let n = 0; n < 8; n++) {
    const failing = turns.run({ id: 'a', isLimited: true }, here, () =>
      Promise.reject(new Error('no such index')),
    );
    await expect(failing).rejects.toThrow('no such index');
  }
  void start('a', true);
  await settle();
  expect(running).toHaveLength(1);
});

test('one whose client has gone before its turn is not begun', async () => {
  const { turns, running, start, settle } = createStarts();
  for (let n = 0; n < 4; n++) void start('a', true);
  const client = new AbortController();
  const waits = turns.run({ id: 'b', isLimited: true }, client.signal, () =>
    Promise.reject(new Error('begun')),
  );
  const refused = expect(waits).rejects.toThrow('went away');
  client.abort();
  await settle();
  running.pop()?.end();
  await refused;
});
