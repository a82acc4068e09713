import type { ControllerSettings, ControllerType } from '@aosc/contract';
import fc from 'fast-check';
import { createController } from '..';
import { type Conditions, goodput, optimum, type Round, simulate } from './__tests__/cluster-model';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const MB = 2 ** 20;

/** Writes 50 MB/s at best, needs 40 ms for the smallest bulk, works worse with more than 16 MB in flight. */
const cluster: Conditions = {
  bytesPerSecond: 50 * MB,
  overheadMs: 40,
  kneeBytes: 16 * MB,
  limitBytes: 64 * MB,
  bytesPerDoc: 2048,
};

const profile = { 'batch.max_docs': '5000' };

function run(
  type: ControllerType,
  settings: ControllerSettings,
  conditionsAt: (round: number) => Conditions,
  rounds: number,
): Round[] {
  const controller = createController(
    () => ({ controllerType: type, controller: settings }),
    () => 0.5,
  );
  const result = simulate(controller, conditionsAt, rounds);
  for (const round of result) {
    expect(round.documents).toBeGreaterThanOrEqual(1);
    expect(round.documents).toBeLessThanOrEqual(settings.batch.maxDocs);
    expect(round.maxBytes).toBeLessThanOrEqual(settings.batch.maxBytes);
    expect(round.failed).toBeUndefined();
  }
  return result;
}

/** Part of the best possible that was reached in some rounds. */
function share(
  type: ControllerType,
  settings: ControllerSettings,
  conditions: Conditions,
  rounds: readonly Round[],
) {
  const { maxDocs, maxBytes } = settings.batch;
  const concurrency = type === 'adaptive' ? settings.concurrency.max : settings.concurrency.initial;
  return goodput(rounds) / optimum(conditions, { maxDocs, maxBytes, concurrency });
}

const withoutPauses = (rounds: readonly Round[]) => rounds.map((round) => ({ ...round, pauseMs: 0 }));

describe('nothing disturbs', () => {
  test('adaptive_batch is at its best from the first bulk on', () => {
    const settings = backfillSettings(profile);
    const rounds = run('adaptive_batch', settings, () => cluster, 20);
    expect(share('adaptive_batch', settings, cluster, rounds)).toBeGreaterThan(0.9);
  });

  test('adaptive uses a cluster that has room: at its best after 60 rounds', () => {
    const settings = backfillSettings();
    const rounds = run('adaptive', settings, () => cluster, 120).slice(60);
    expect(Math.min(...rounds.map(({ concurrency }) => concurrency))).toBeGreaterThan(4);
    expect(share('adaptive', settings, cluster, rounds)).toBeGreaterThan(0.9);
  });

  test('adaptive leaves a busy cluster alone: two bulks in flight are no faster than one', () => {
    const settings = backfillSettings(profile);
    const rounds = run('adaptive', settings, () => cluster, 300);
    expect(Math.max(...rounds.map(({ concurrency }) => concurrency))).toBe(2);
    expect(share('adaptive', settings, cluster, rounds.slice(20))).toBeGreaterThan(0.9);
  });
});

describe('a burst: ten rounds are refused', () => {
  const burst = (round: number) => (round >= 20 && round < 30 ? { ...cluster, limitBytes: 0 } : cluster);

  test('adaptive_batch is back 30 bulks later', () => {
    const settings = backfillSettings(profile);
    const rounds = run('adaptive_batch', settings, burst, 100);
    expect(rounds[30]?.bytes).toBeLessThan(MB);
    expect(share('adaptive_batch', settings, cluster, rounds.slice(60))).toBeGreaterThan(0.9);
  });

  test('adaptive is back 60 rounds later', () => {
    const settings = backfillSettings();
    const rounds = run('adaptive', settings, burst, 150);
    expect(rounds[30]?.concurrency).toBe(1);
    expect(share('adaptive', settings, cluster, rounds.slice(90))).toBeGreaterThan(0.9);
  });

  test('the growth after a burst stops behind the knee, where throughput begins to fall', () => {
    const settings = backfillSettings({ 'batch.max_docs': '50000' });
    const early = (round: number) => burst(round + 20);
    const rounds = run('adaptive_batch', settings, early, 200);
    expect(share('adaptive_batch', settings, cluster, rounds.slice(80))).toBeGreaterThan(0.9);
    expect(Math.max(...rounds.slice(80).map(({ bytes }) => bytes))).toBeLessThan(1.5 * cluster.kneeBytes);
  });
});

describe('the cluster becomes slower by three quarters', () => {
  const slower: Conditions = { ...cluster, bytesPerSecond: cluster.bytesPerSecond / 4 };
  const step = (round: number) => (round < 50 ? cluster : slower);

  test.each([
    ['adaptive_batch', 0],
    ['adaptive', 60],
  ] as const)('%s is at its best again %d rounds later', (type, rounds) => {
    const settings = backfillSettings(profile);
    const after = run(type, settings, step, 250).slice(50 + rounds);
    expect(share(type, settings, slower, after)).toBeGreaterThan(0.9);
  });

  test('adaptive has answered the latency with smaller bulks before anything was refused', () => {
    const rounds = run('adaptive', backfillSettings(profile), step, 60);
    const [before, after] = [rounds[49]?.bytes ?? 0, Math.min(...rounds.slice(50).map(({ bytes }) => bytes))];
    expect(after).toBeLessThanOrEqual(before / 2);
    expect(rounds.filter(({ refused }) => refused)).toEqual([]);
  });
});

test('a cluster that refuses every bulk beyond 18 MB: few are refused, and the others are near the best size', () => {
  const settings = backfillSettings({ 'batch.max_docs': '50000' });
  const strict: Conditions = { ...cluster, limitBytes: 18 * MB };
  const rounds = run('adaptive_batch', settings, () => strict, 300).slice(20);
  expect(rounds.filter(({ refused }) => refused).length).toBeLessThan(rounds.length / 8);
  // Pauses left out: they are what the settings say, and much longer than the modelled bulks.
  expect(share('adaptive_batch', settings, strict, withoutPauses(rounds))).toBeGreaterThan(0.9);
});

test('documents grow from 0.5 to 200 KB: bulks keep their bytes', () => {
  const settings = backfillSettings({ 'batch.max_docs': '50000', 'batch.max_bytes': '8mb' });
  const drift = (round: number): Conditions => ({ ...cluster, bytesPerDoc: Math.round(500 * 1.02 ** round) });
  const rounds = run('adaptive_batch', settings, drift, 300).slice(20);
  for (const { bytes } of rounds) {
    expect(bytes).toBeLessThanOrEqual(8 * MB);
    expect(bytes).toBeGreaterThan(7 * MB);
  }
});

test('whatever is reported, and whatever becomes of the settings, the limits are theirs', () => {
  const settingsOf = fc
    .record({
      maxDocs: fc.integer({ min: 1, max: 50_000 }),
      max: fc.integer({ min: 1, max: 512 }),
      concurrency: fc.integer({ min: 1, max: 32 }),
    })
    .map(({ maxDocs, max, concurrency }) =>
      backfillSettings({
        'batch.max_docs': String(maxDocs),
        'batch.size': String(maxDocs),
        'batch.max_bytes': `${max}mb`,
        concurrency: String(concurrency),
        'concurrency.max': '32',
      }),
    );
  const event = fc.record({
    kind: fc.constantFrom(
      'success' as const,
      'overload' as const,
      'transient' as const,
      'too_large' as const,
    ),
    documents: fc.integer({ min: 2, max: 50_000 }),
    bytes: fc.integer({ min: 0, max: 512 * MB }),
    elapsedMs: fc.nat(60_000),
    tookMs: fc.option(fc.nat(60_000), { nil: undefined }),
    age: fc.nat(20),
  });
  fc.assert(
    fc.property(
      fc.constantFrom('fixed' as const, 'adaptive_batch' as const, 'adaptive' as const),
      fc.array(fc.tuple(event, settingsOf), { minLength: 1, maxLength: 80 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (type, events, random) => {
        let settings = backfillSettings();
        const controller = createController(
          () => ({ controllerType: type, controller: settings }),
          () => random,
        );
        for (const [{ kind, age, ...measured }, next] of events) {
          const ticket = Math.max(0, controller.limits().ticket - age);
          const report =
            kind === 'success' ? success({ ticket }, measured) : failure({ ticket }, kind, measured);
          const decision = controller.observe(report);
          if (decision.action === 'pause') expect(decision.pauseMs).toBeLessThanOrEqual(150_000);
          settings = next;
          const limits = controller.limits();
          expect(limits.maxDocs).toBeGreaterThanOrEqual(1);
          expect(limits.maxDocs).toBeLessThanOrEqual(settings.batch.maxDocs);
          expect(limits.maxBytes).toBeGreaterThanOrEqual(1);
          expect(limits.maxBytes).toBeLessThanOrEqual(settings.batch.maxBytes);
          expect(limits.concurrency).toBeGreaterThanOrEqual(1);
          expect(limits.concurrency).toBeLessThanOrEqual(
            type === 'adaptive' ? 32 : settings.concurrency.initial,
          );
        }
      },
    ),
  );
});
