import type { Clock } from '../../ports/clock';
import { Pauses } from './pauses';

function createPauses(): { pauses: Pauses; pass: (ms: number) => void } {
  let time = 0;
  const clock: Clock = {
    now: () => 1_000_000 + time,
    monotonic: () => time,
    sleep: () => Promise.resolve(),
    random: () => 0,
  };
  return { pauses: new Pauses(clock), pass: (ms) => (time += ms) };
}

test('nothing was refused: no pause to show', () => {
  const { pauses } = createPauses();
  expect(pauses.left('bulk')).toBe(0);
  expect(pauses.figures()).toEqual({ pauses: 0 });
});

test('a pause holds back its own kind of work and shows until when, and what it is about', () => {
  const { pauses, pass } = createPauses();
  pauses.begin('bulk', 2000, 'queue full');
  expect([pauses.left('bulk'), pauses.left('read')]).toEqual([2000, 0]);
  pass(500);
  expect(pauses.figures()).toEqual({
    pauses: 1,
    pausedUntilMillis: 1_002_000,
    lastOverload: { atMillis: 1_000_000, work: 'bulk', pauseMs: 2000, reason: 'queue full' },
  });
  pass(5000);
  expect(pauses.left('bulk')).toBe(0);
  expect(pauses.figures()).toEqual({
    pauses: 1,
    lastOverload: { atMillis: 1_000_000, work: 'bulk', pauseMs: 2000, reason: 'queue full' },
  });
});

test('a shorter pause leaves a longer one as it is, and the other kind of work too', () => {
  const { pauses, pass } = createPauses();
  pauses.begin('bulk', 3000, 'first');
  pass(1000);
  pauses.begin('bulk', 500, 'shorter');
  expect(pauses.left('bulk')).toBe(2000);
  pauses.begin('read', 4000, 'a read');
  expect([pauses.left('bulk'), pauses.left('read')]).toEqual([2000, 4000]);
  pass(9000);
  expect(pauses.figures()).toMatchObject({ pauses: 3, lastOverload: { work: 'read' } });
});
