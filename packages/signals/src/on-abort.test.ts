import { setImmediate as turn } from 'node:timers/promises';
import { onAbort } from './on-abort';

test('hundreds of waits on one signal are no leak to Node.js, and each ends once', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): number => warnings.push(warning);
  process.on('warning', warn);
  const caller = new AbortController();
  const ended: number[] = [];
  for (let n = 0; n < 200; n += 1) onAbort(caller.signal, () => ended.push(n));
  caller.abort();
  await turn();
  process.off('warning', warn);
  expect(warnings).toEqual([]);
  expect(ended).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test('when a wait is over the others go on, and a new one can follow the last', () => {
  const caller = new AbortController();
  const calls: string[] = [];
  const over = onAbort(caller.signal, () => calls.push('over'));
  const stays = onAbort(caller.signal, () => calls.push('stays'));
  over();
  over();
  stays();
  onAbort(caller.signal, () => calls.push('new'));
  caller.abort();
  expect(calls).toEqual(['new']);
});

test('a wait that another one ends when the signal is aborted hears nothing', () => {
  const caller = new AbortController();
  const listener = jest.fn();
  const ends: (() => void)[] = [];
  ends.push(onAbort(caller.signal, () => ends.forEach((end) => end())));
  ends.push(onAbort(caller.signal, listener));
  caller.abort();
  expect(listener).not.toHaveBeenCalled();
});

test('a wait that is over hears nothing', () => {
  const caller = new AbortController();
  const listener = jest.fn();
  onAbort(caller.signal, listener)();
  caller.abort();
  expect(listener).not.toHaveBeenCalled();
});
