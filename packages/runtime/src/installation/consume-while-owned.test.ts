import { PassThrough } from 'node:stream';
import { createLogger } from '@aosc/telemetry';
import type { InstallationState, InstallationWatch } from './watch-installation';
import { consumeWhileOwned } from './consume-while-owned';

const logger = createLogger({ app: 'worker', level: 'error', stream: new PassThrough().resume() });
const refused: InstallationState = { type: 'refused', reason: 'a stranger' };

function createBench(settled: Promise<void> = Promise.resolve()) {
  const listeners: (() => void)[] = [];
  const done: string[] = [];
  let state: InstallationState = { type: 'ours' };
  const watch: InstallationWatch = {
    get state() {
      return state;
    },
    isRightCluster: true,
    onLook: (listener) => listeners.push(listener),
    untilOurs: () => settled,
    stop: () => undefined,
  };
  const open = () => {
    done.push('open');
    return {
      close: (graceMs: number) => {
        done.push(`close ${graceMs}`);
        return Promise.resolve();
      },
    };
  };
  return {
    done,
    watch,
    open,
    look: async (next: InstallationState) => {
      state = next;
      for (const listener of listeners) listener();
      await new Promise(setImmediate);
    },
  };
}

test('jobs are taken once, handed back when the installation is no longer ours, and taken again when it is', async () => {
  const { watch, open, done, look } = createBench();
  const work = await consumeWhileOwned(watch, open, 100, logger);
  await look({ type: 'ours' });
  expect(done).toEqual(['open']);
  await look(refused);
  await look(refused);
  expect(done).toEqual(['open', 'close 100']);
  await look({ type: 'ours' });
  expect(done).toEqual(['open', 'close 100', 'open']);
  await work.close();
  await look({ type: 'ours' });
  expect(done).toEqual(['open', 'close 100', 'open', 'close 100']);
});

test('who is refused from the start takes nothing', async () => {
  const { watch, open, done } = createBench(Promise.reject(new Error('a stranger')));
  await expect(consumeWhileOwned(watch, open, 100, logger)).rejects.toThrow('a stranger');
  expect(done).toEqual([]);
});

test('what could not be opened again is tried at the next look', async () => {
  const { watch, open, look } = createBench();
  let fails = false;
  let opened = 0;
  await consumeWhileOwned(
    watch,
    () => {
      if (fails) throw new Error('no address of Redis');
      opened += 1;
      return open();
    },
    100,
    logger,
  );
  await look(refused);
  fails = true;
  await look({ type: 'ours' });
  expect(opened).toBe(1);
  fails = false;
  await look({ type: 'ours' });
  expect(opened).toBe(2);
});
