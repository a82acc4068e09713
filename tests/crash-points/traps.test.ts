import type { Environment } from '../support/environment';
import type { CallEvent, CallListener, Interference } from './lab';
import type { Point } from './place';
import { setTraps } from './traps';

const place = 'scheduler/ACTIVE/aliases: +setup';
const point = (moment: Point['moment']): Point => ({ scenario: 'complete', place, moment });

/** Traps for the points, and what becomes of a call there by the process with that number. */
function trap(...points: readonly Point[]) {
  const listeners: CallListener[] = [];
  const environment = {} as Environment;
  const listen = (listener: CallListener) => {
    listeners.push(listener);
    return () => undefined;
  };
  const scenario = { name: 'complete', migration: {} as never, ends: [] };
  const traps = setTraps({ environment, listen }, scenario, points);
  const call = (number: number, what = 'aliases: +setup'): Interference | undefined => {
    const event: CallEvent = {
      place: `scheduler/ACTIVE/${what}`,
      kind: 'scheduler',
      call: { what, via: 'opensearch' },
      number,
      migrationPhase: 'ACTIVE',
    };
    return listeners[0]?.(event);
  };
  return { traps, call };
}

test('a call is held with its answer, and the next one there is not', async () => {
  const { traps, call } = trap(point('after'));
  const interference = call(0);
  expect(interference?.before).toBeUndefined();
  const decision = interference?.after?.(true);
  const caught = await traps.next();
  expect(caught).toMatchObject({ point: point('after'), number: 0 });
  expect(call(0)).toBeUndefined();
  caught.after.release('cut');
  await expect(decision).resolves.toBe('cut');
});

test('a call that was refused is no point: the next one there is', async () => {
  const { traps, call } = trap(point('after'));
  await expect(call(0)?.after?.(false)).resolves.toBe('deliver');
  void call(0)?.after?.(true);
  await expect(traps.next()).resolves.toMatchObject({ point: point('after'), number: 0 });
});

test('what has died once is not caught again', async () => {
  const { traps, call } = trap(point('after'), point('before'));
  void call(0)?.before?.();
  await expect(traps.next()).resolves.toMatchObject({ point: point('before') });
  traps.setAgain();
  expect(call(0)).toBeUndefined();
  void call(1)?.after?.(true);
  await expect(traps.next()).resolves.toMatchObject({ point: point('after'), number: 1 });
});

test('a call that is held when all is over goes on', async () => {
  const { traps, call } = trap(point('after'));
  const decision = call(0)?.after?.(true);
  traps.end();
  await expect(decision).resolves.toBe('deliver');
});

test('the look behind is over with the job that has given back the indices', () => {
  const { traps, call } = trap();
  call(0, 'redis moveToFinished advance');
  call(0, 'claim: DELETE');
  expect(traps.hasLookedBehind()).toBe(false);
  call(0, 'redis moveToFinished advance');
  expect(traps.hasLookedBehind()).toBe(true);
});
