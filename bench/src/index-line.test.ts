import { toIndexLine } from './index-line';

test('a line keeps circumstances and medians, and leaves samples and single requests out', () => {
  const line = toIndexLine('2026-11-26T010203-abc-cutover', {
    kind: 'cutover',
    commit: 'abc',
    machine: { cpus: 2, loadBefore: 0.123456 },
    samples: [{ seconds: 1 }],
    warmUp: [{ pauseMs: 9999 }],
    runs: [
      { run: 1, pauseMs: 700.123456, calls: { underBlock: [{}] } },
      { run: 2, pauseMs: 500 },
      { run: 3, pauseMs: 600 },
    ],
  });
  expect(JSON.parse(line)).toEqual({
    run: '2026-11-26T010203-abc-cutover',
    kind: 'cutover',
    commit: 'abc',
    machine: { cpus: 2, loadBefore: 0.1235 },
    runs: { count: 3, median: { run: 2, pauseMs: 600 } },
  });
});

test('each case of a suite keeps its own summary', () => {
  const line = toIndexLine('s', { cases: [{ name: 'orders', runs: [], summary: { backfillRatio: 0.76 } }] });
  expect(JSON.parse(line)).toEqual({
    run: 's',
    cases: [{ name: 'orders', runs: 0, summary: { backfillRatio: 0.76 } }],
  });
});
