import { spansOf } from './phase-spans';
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
