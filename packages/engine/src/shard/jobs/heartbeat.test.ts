import * as fc from 'fast-check';
import { untilNextBeat } from './heartbeat';

const everyMs = 2000;

test('beats come together, whenever their jobs have begun', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (now) => {
      const wait = untilNextBeat(now, everyMs);
      expect(wait).toBeGreaterThanOrEqual(everyMs / 4);
      expect(wait).toBeLessThanOrEqual(everyMs * 1.25);
      expect(Math.round(now + wait) % everyMs).toBe(0);
    }),
  );
});

test('a timer that fires a moment early is followed by no second beat', () => {
  expect(untilNextBeat(3 * everyMs - 0.4, everyMs)).toBeCloseTo(everyMs + 0.4);
  expect(untilNextBeat(3 * everyMs, everyMs)).toBe(everyMs);
});
