import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as pause } from 'node:timers/promises';
import { timeLimit } from './time-limit';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function untilAborted(signal: AbortSignal): Promise<unknown> {
  for (let turns = 0; turns < 400 && !signal.aborted; turns++) {
    await pause(5);
    collectGarbage();
  }
  return signal.reason;
}

describe.each([
  ['by itself', () => timeLimit(50)],
  ['with another signal', () => timeLimit(50, new AbortController().signal)],
  ['combined once more', () => AbortSignal.any([timeLimit(50), new AbortController().signal])],
  [
    'combined twice',
    () => AbortSignal.any([timeLimit(50, new AbortController().signal), new AbortController().signal]),
  ],
])('%s', (_, make) => {
  test('it ends when its time is over, also when garbage is collected meanwhile', async () => {
    expect(await untilAborted(make())).toMatchObject({ name: 'TimeoutError' });
  });
});

test('with a signal that has ended it has ended', () => {
  expect(timeLimit(60_000, AbortSignal.abort(new Error('over'))).reason).toEqual(new Error('over'));
});

test('it ends with another one, for its reason', () => {
  const other = new AbortController();
  const signal = timeLimit(60_000, other.signal);
  expect(signal.aborted).toBe(false);
  other.abort(new Error('no more'));
  expect(signal.reason).toEqual(new Error('no more'));
});
