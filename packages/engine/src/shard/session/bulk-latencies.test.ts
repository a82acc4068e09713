import { BulkLatencies } from './bulk-latencies';

function start() {
  const clock = { now: 0 };
  return { clock, latencies: new BulkLatencies({ monotonic: () => clock.now }) };
}

test('nothing is told before a bulk has ended, and nothing of bulks long ago', () => {
  const { clock, latencies } = start();
  expect(latencies.read()).toBeUndefined();
  latencies.note(80);
  clock.now = 30_000;
  expect(latencies.read()).toEqual({ meanMs: 80, p95Ms: 80, bulks: 1 });
  clock.now = 30_001;
  expect(latencies.read()).toBeUndefined();
});

test('mean and 95th percentile are of the bulks as they came, in whole milliseconds', () => {
  const { latencies } = start();
  for (let tookMs = 100; tookMs > 0; tookMs -= 1) latencies.note(tookMs + 0.4);
  expect(latencies.read()).toEqual({ meanMs: 51, p95Ms: 95, bulks: 100 });
});

test('of very many bulks the newest count', () => {
  const { latencies } = start();
  for (let n = 0; n < 1_000; n += 1) latencies.note(n < 500 ? 9_000 : 10);
  expect(latencies.read()).toEqual({ meanMs: 10, p95Ms: 10, bulks: 256 });
});
