import { calm, decay, endRow, escalate } from './backoff';

const settings = { basePauseMs: 2000, maxPauseMs: 120_000, maxConsecutiveFailures: 50 };

/** The state after so many refusals in a row. */
function refuse(times: number, random = 0) {
  let state = calm;
  const pauses: number[] = [];
  for (let i = 0; i < times; i++) {
    state = escalate(state, settings, random);
    pauses.push(state.pauseMs);
  }
  return { state, pauses };
}

test('with the defaults: 2, 4, 8, 16, 32, 64, then 120 seconds', () => {
  expect(refuse(8).pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000, 120_000]);
});

test('up to a quarter more by chance, also of the longest', () => {
  expect(refuse(7, 1).pauses.map((pause) => pause / 1.25)).toEqual(refuse(7).pauses);
});

test('doublings beyond all numbers are the longest pause', () => {
  const state = { ...calm, level: 5000 };
  expect(escalate(state, settings, 0).pauseMs).toBe(120_000);
});

test('a success takes one doubling back, and ends the row of failures', () => {
  const after = decay(refuse(3).state);
  expect(after).toMatchObject({ level: 2, consecutiveFailures: 0 });
  expect(escalate(after, settings, 0).pauseMs).toBe(8000);
  expect(decay(calm).level).toBe(0);
});

test('what does not count makes the pause longer all the same', () => {
  expect(escalate(refuse(2).state, settings, 0, false)).toMatchObject({
    pauseMs: 8000,
    consecutiveFailures: 2,
  });
});

test('progress elsewhere ends the row of failures and leaves the pauses as long as they are', () => {
  const after = endRow(refuse(3).state);
  expect(after).toMatchObject({ level: 3, consecutiveFailures: 0 });
});
