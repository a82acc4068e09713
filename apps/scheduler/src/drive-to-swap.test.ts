import { timeLimit } from '@aosc/signals';
import { exampleMigration } from '@aosc/testkit';
import { createDriveToSwap } from './drive-to-swap';

const record = exampleMigration({ phase: 'COMPLETING' });
const dependencies = {} as Parameters<typeof createDriveToSwap>[0];

/** @param waits what each drive comes to, in turn; afterwards nothing is to be waited for */
function createScene(...waits: readonly (number | undefined)[]) {
  let drives = 0;
  const toSwap = createDriveToSwap(dependencies, (_dependencies, _record, { signal }) => {
    const wakeInMs = waits[drives++];
    signal.throwIfAborted();
    return Promise.resolve(wakeInMs === undefined ? {} : { wakeInMs });
  });
  return { toSwap, drives: () => drives };
}

const span = (signal: AbortSignal) => ({ isDone: undefined, limitMs: 1000, signal });
const { signal } = new AbortController();

test('short waits are waited for: the next look comes late without Redis', async () => {
  const { toSwap, drives } = createScene(0, 20, 0);
  await toSwap(record, span(signal));
  expect(drives()).toBe(4);
});

test('a longer one is left to the next look', async () => {
  const { toSwap, drives } = createScene(0, 3000);
  await toSwap(record, span(signal));
  expect(drives()).toBe(2);
});

test('its limit ends it', async () => {
  const { toSwap } = createScene(...Array<number>(100_000).fill(1000));
  const limit = timeLimit(30);
  await expect(toSwap(record, span(limit))).rejects.toThrow('aborted');
});

test('Redis is asked for nothing, and last rounds that are missing hold up nothing else', async () => {
  let isRefused = false;
  const toSwap = createDriveToSwap(dependencies, async ({ queues }) => {
    await queues.ensureShardJobs('catch_up', record.key, []);
    await queues.hurryReplays(record.key, [0]).catch(() => {
      isRefused = true;
    });
    return {};
  });
  await toSwap(record, span(signal));
  expect(isRefused).toBe(true);
});
