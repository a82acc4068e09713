import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAdmission, type Hold, type Work } from './admission';

const options = { maxWaiting: 4, maxWaitingOfCaller: 2, waitMs: 1_000, busy: 'too much waits' };

/** Work that ends when the test says so; `order` has what began. */
function start(parts: Partial<typeof options> = {}) {
  const admission = createAdmission({ ...options, ...parts });
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string, work: Work, held?: Promise<unknown>) =>
    admission.run(work, (hold: Hold) => {
      order.push(name);
      if (held !== undefined) hold(held);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { begin, end, order };
}

const of = (caller: string, weight = 1, gone?: AbortSignal): Work => ({
  shares: [
    { name: `of ${caller}`, units: 2 },
    { name: 'all', units: 3 },
  ],
  weight,
  ...(gone && { gone }),
});

test('work runs as long as all of its shares have room; the others wait in the order they came', async () => {
  const { begin, end, order } = start();
  const all = [begin('a1', of('a')), begin('a2', of('a')), begin('a3', of('a')), begin('b1', of('b'))];
  await nextTurn();
  // The third of a caller waits for its own units, and keeps no other caller out.
  expect(order).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(order).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a2', 'a3']) await end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('late work begins behind all other work, in the order it came', async () => {
  const { begin, end, order } = start();
  void begin('first', of('x', 2));
  for (const name of ['late 1', 'late 2']) void begin(name, { ...of(name, 2), isLate: () => true });
  for (const name of ['prompt 1', 'prompt 2']) void begin(name, of(name, 2));
  await nextTurn();
  for (const name of ['first', 'prompt 1', 'prompt 2', 'late 1']) await end(name);
  expect(order).toEqual(['first', 'prompt 1', 'prompt 2', 'late 1', 'late 2']);
});

test('light work that comes later does not keep heavy work waiting', async () => {
  const { begin, end, order } = start();
  void begin('a', of('a', 2));
  void begin('heavy', of('b', 2));
  void begin('light', of('c', 1));
  await nextTurn();
  expect(order).toEqual(['a']);
  await end('a');
  expect(order).toEqual(['a', 'heavy', 'light']);
});

test('what is held keeps the units of its caller, and of nobody else', async () => {
  const { begin, end, order } = start();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const first = begin('a1', of('a', 2), held);
  await nextTurn();
  await end('a1');
  expect(await first).toBe('a1');
  void begin('a2', of('a', 2));
  void begin('b1', of('b', 2));
  await nextTurn();
  expect(order).toEqual(['a1', 'b1']);
  await end('b1');
  expect(order).toEqual(['a1', 'b1']);
  release();
  await nextTurn();
  expect(order).toEqual(['a1', 'b1', 'a2']);
});

test('of a caller and of all so many wait; what finds no place is told so', async () => {
  const { begin } = start();
  void begin('all', of('x', 2));
  const refused = { code: 'rate_limited', message: 'too much waits' };
  const waiting = ['a', 'a', 'b', 'b'].map((caller) => begin(caller, of(caller, 2)));
  await expect(begin('a', of('a', 2))).rejects.toMatchObject(refused);
  await expect(begin('c', of('c', 2))).rejects.toMatchObject(refused);
  await Promise.allSettled(waiting.map((one) => expect(one).rejects.toMatchObject(refused)));
});

test('work whose caller has gone is not begun, and gives its place up', async () => {
  const { begin, end, order } = start();
  void begin('a', of('a', 2));
  const gone = new AbortController();
  const left = begin('left', of('b', 2, gone.signal));
  gone.abort();
  await expect(left).rejects.toMatchObject({ code: 'unavailable' });
  const late = begin('late', of('b', 2, gone.signal));
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  await end('a');
  expect(order).toEqual(['a']);
});

test('of those who all go at once none begins in the place of another', async () => {
  const { begin, order } = start();
  const gone = new AbortController();
  const running = begin('a', of('a', 2, gone.signal));
  const waiting = ['b', 'c'].map((caller) => begin(caller, of(caller, 2, gone.signal)));
  await nextTurn();
  gone.abort();
  await Promise.allSettled(waiting.map((one) => expect(one).rejects.toMatchObject({ code: 'unavailable' })));
  expect(order).toEqual(['a']);
  void running;
});

test('work that fails gives its units back', async () => {
  const admission = createAdmission(options);
  const failing = admission.run(of('a', 2), () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await admission.run(of('a', 2), () => Promise.resolve(1))).toBe(1);
});
