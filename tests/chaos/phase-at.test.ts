import { laterOf, phaseAt } from './phase-at';

const entry = (phase: string, startTimeMillis: number) => ({ phase, startTimeMillis });
const history = [entry('ACTIVE', 100), entry('CUTTING_OVER', 200), entry('ACTIVE', 300)];

test.each([
  [99, undefined],
  [100, 'ACTIVE'],
  [199, 'ACTIVE'],
  [200, 'CUTTING_OVER'],
  [1000, 'ACTIVE'],
])('at %d', (at, phase) => {
  expect(phaseAt(history, at)).toBe(phase);
});

test('a clock that was put ahead or back by the fault', () => {
  expect(phaseAt([...history, entry('COMPLETING', 3_600_000)], 400)).toBe('ACTIVE');
  expect(
    phaseAt([entry('ACTIVE', 100), entry('CUTTING_OVER', 200), entry('COMPLETING', -3_600_000)], 250),
  ).toBe('CUTTING_OVER');
});

test('a second look that shows less than the first is an older one', () => {
  const first = { transitionHistory: history };
  const behind = { transitionHistory: history.slice(0, 2) };
  const same = { transitionHistory: [...history] };
  expect(laterOf(first, behind)).toBe(first);
  expect(laterOf(first, same)).toBe(same);
});
