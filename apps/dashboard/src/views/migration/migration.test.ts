import { spansOf } from './phase-spans';
import { awaitsMore } from './awaits-more';
import { stepsOf } from './steps';
import { stepsOfAttempt, wordsForOutcome } from './attempt-steps';
import { addSample, joinSamples, type Sample } from './samples';

describe('phases', () => {
  const history = [
    { phase: 'ACTIVE', start_time_millis: 0, end_time_millis: 60 },
    { phase: 'PREPARING_TARGET', start_time_millis: 100 },
    { phase: 'COMPLETED', start_time_millis: 150 },
  ] as const;

  test('take as long as is said, or until the next one begins; the end takes no time', () => {
    expect(spansOf(history, 900, true).map(({ durationMillis }) => durationMillis)).toEqual([60, 50, 0]);
  });

  test('that go on last until now', () => {
    const [first] = spansOf([{ phase: 'ACTIVE', start_time_millis: 100 }], 350, false);
    expect(first).toEqual({ phase: 'ACTIVE', startMillis: 100, endMillis: undefined, durationMillis: 250 });
    expect(spansOf([{ phase: 'ACTIVE', start_time_millis: 100 }], 50, false)[0]?.durationMillis).toBe(0);
  });
});

describe('steps', () => {
  const active = { phase: 'ACTIVE', start_time_millis: 0 } as const;
  const show = (...args: Parameters<typeof stepsOf>) =>
    stepsOf(...args).map(({ phase, state, durationMillis }) => `${phase} ${state} ${durationMillis}`);

  test('are all there from the start, those to come as well', () => {
    expect(show('ACTIVE', [active], 70)).toEqual([
      'ACTIVE now 70',
      'PREPARING_TARGET open 0',
      'CUTTING_OVER open 0',
      'CATCHING_UP open 0',
      'COMPLETING open 0',
      'COMPLETED open 0',
    ]);
  });

  test('that were tried twice are one, with the time of both', () => {
    const history = [
      active,
      { phase: 'PREPARING_TARGET', start_time_millis: 10 },
      { phase: 'CUTTING_OVER', start_time_millis: 15 },
      { phase: 'PREPARING_TARGET', start_time_millis: 18 },
    ] as const;
    expect(show('PREPARING_TARGET', history, 20).slice(0, 3)).toEqual([
      'ACTIVE done 10',
      'PREPARING_TARGET now 7',
      'CUTTING_OVER open 3',
    ]);
  });

  test('of a migration that was cancelled end with that', () => {
    const history = [
      active,
      { phase: 'CANCELLING', start_time_millis: 30 },
      { phase: 'CANCELLED', start_time_millis: 34 },
    ] as const;
    expect(show('CANCELLED', history, 0)).toEqual([
      'ACTIVE done 30',
      'CANCELLING done 4',
      'CANCELLED done 0',
    ]);
  });
});

describe('attempts of the cutover', () => {
  const attempt = {
    started_millis: 0,
    outcome: 'undone',
    steps: { before_block_ms: 10, confirm_ms: 20, last_rounds_ms: 0 },
  } as const;

  const shown = (one: Parameters<typeof stepsOfAttempt>[0]) =>
    stepsOfAttempt(one).map(({ name, millis, writes }) => `${name} ${millis}, writes ${writes}`);

  test('have the steps that they have come to, in order, and what becomes of writes in each', () => {
    expect(shown(attempt)).toEqual([
      'Before writers are stopped 10, writes go on',
      'Until no write runs 20, writes are refused',
      'Last rounds 0, writes are refused',
    ]);
  });

  test('that hold writers refuse writes at their end only', () => {
    const steps = { ...attempt.steps, checks_ms: 300 };
    expect(shown({ ...attempt, steps, write_hold_ms: 240, blocked_ms: 80 })).toEqual([
      'Before writers are stopped 10, writes go on',
      'Until no write runs 20, writes wait',
      'Last rounds 0, writes wait',
      'Checks 220, writes wait',
      'Write block, proof and swap 80, writes are refused',
    ]);
  });

  test('that were undone say that writes went on', () => {
    expect(wordsForOutcome(attempt)).toContain('writes went on');
  });
});

const sample = (atMillis: number): Sample => ({
  atMillis,
  documentsPerSecond: 1,
  bytesPerSecond: 1,
  gap: undefined,
  batchBytes: 1,
  concurrency: 1,
  pauses: 0,
  bulkLatencyMs: undefined,
});

test('samples have an end, keep the newest whole, and take nothing twice', () => {
  let samples: readonly Sample[] = [];
  for (let at = 0; at < 10_000; at += 1) samples = addSample(samples, sample(at));
  expect(samples.length).toBeLessThanOrEqual(1_800);
  expect(samples.slice(-100).map(({ atMillis }) => atMillis)).toEqual(
    Array.from({ length: 100 }, (_, n) => 9_900 + n),
  );
  expect(addSample(samples, sample(9_999))).toBe(samples);
});

test('the kept curve goes before what was seen since its end', () => {
  const one = [1];
  const points = {
    at_millis: [10],
    phase: ['ACTIVE' as const],
    documents_indexed: one,
    documents_per_second: [7],
    bytes_per_second: one,
    gap: [null],
    batch_bytes: one,
    concurrency: one,
    pauses: one,
  };
  const answer = { migration_id: 'a', source_index: 'b', points };
  const latencies = (further: { bulk_latency_ms?: (number | null)[] }) =>
    joinSamples({ ...answer, points: { ...points, ...further } }, []).map(
      ({ bulkLatencyMs }) => bulkLatencyMs,
    );
  expect([
    latencies({}),
    latencies({ bulk_latency_ms: [null] }),
    latencies({ bulk_latency_ms: [12] }),
  ]).toEqual([[undefined], [undefined], [12]]);
  const joined = joinSamples({ migration_id: 'a', source_index: 'b', points }, [
    sample(9),
    sample(10),
    sample(11),
  ]);
  expect(joined.map(({ atMillis, documentsPerSecond, gap }) => [atMillis, documentsPerSecond, gap])).toEqual([
    [10, 7, undefined],
    [11, 1, undefined],
  ]);
  expect(joinSamples(undefined, [sample(1)])).toHaveLength(1);
});

test.each([
  ['ACTIVE', null, false, 30_000],
  ['ACTIVE', { state: 'running' }, false, 2000],
  ['PREPARING_TARGET', null, false, 2000],
  ['PREPARING_TARGET', { state: 'done' }, false, 2000],
  ['COMPLETED', { state: 'running' }, false, 2000],
  ['COMPLETED', { state: 'done' }, false, false],
  ['COMPLETED', undefined, true, 30_000],
  ['CANCELLED', null, false, false],
] as const)(
  'the verification of a migration that is %s and has %j (failed: %s) is read again after: %s',
  (phase, found, hasFailed, afterMs) => {
    expect(awaitsMore(phase, found, hasFailed)).toBe(afterMs);
  },
);
