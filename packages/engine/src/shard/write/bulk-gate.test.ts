import { BulkGate } from './bulk-gate';

/** Work that ends when the test says so. */
function createWorks(gate: BulkGate, signal = new AbortController().signal) {
  let running = 0;
  const ends: (() => void)[] = [];
  return {
    running: () => running,
    begin: () =>
      gate.pass(async () => {
        running++;
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
      }, signal),
    async endOne(): Promise<void> {
      ends.shift()?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('raised or lowered, the limit holds for the next batch', async () => {
  let limit = 3;
  const works = createWorks(new BulkGate(() => limit));
  const all = Array.from({ length: 8 }, () => works.begin());
  await settled();
  expect(works.running()).toBe(3);
  limit = 1;
  const seen: number[] = [];
  for (let i = 0; i < 3; i++) {
    await works.endOne();
    seen.push(works.running());
  }
  expect(seen).toEqual([2, 1, 1]);
  limit = 4;
  await works.endOne();
  expect(works.running()).toBe(4);
  for (let i = 0; i < 4; i++) await works.endOne();
  await Promise.all(all);
});

test('work that fails makes room, too, and whoever listens hears of it until it stops', async () => {
  const gate = new BulkGate(() => 1);
  const listener = jest.fn();
  const stop = gate.onLeave(listener);
  const { signal } = new AbortController();
  await expect(gate.pass(() => Promise.reject(new Error('refused')), signal)).rejects.toThrow('refused');
  expect(await gate.pass(() => Promise.resolve(5), signal)).toBe(5);
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
  await gate.pass(() => Promise.resolve(), signal);
  expect(listener).toHaveBeenCalledTimes(2);
});

test('who waits does not begin after an abort', async () => {
  const abort = new AbortController();
  const works = createWorks(new BulkGate(() => 1), abort.signal);
  const first = works.begin();
  const second = expect(works.begin()).rejects.toThrow('the job is to stop');
  await settled();
  abort.abort(new Error('the job is to stop'));
  await works.endOne();
  await first;
  await second;
  expect(works.running()).toBe(0);
});
