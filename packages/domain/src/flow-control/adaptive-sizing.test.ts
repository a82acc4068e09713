import { createController } from '..';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const KB = 2 ** 10;
const MB = 2 ** 20;

function create(changes: Record<string, string> = {}) {
  const settings = backfillSettings({ 'concurrency.max': '3', 'aimd.cooldown_ticks': '0', ...changes });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  return {
    limits: () => controller.limits(),
    succeed(times: number, { tookMs }: { tookMs: number | undefined } = { tookMs: 100 }) {
      for (let i = 0; i < times; i++) {
        controller.observe(success(controller.limits(), { documents: 100, bytes: 100 * KB, tookMs }));
      }
      return controller.limits();
    },
    fail: () => controller.observe(failure(controller.limits(), 'overload', { documents: 100, tookMs: 100 })),
  };
}

test('one more in flight after each five steady successes, up to the limit', () => {
  const controller = create();
  expect(controller.succeed(4).concurrency).toBe(1);
  expect(controller.succeed(1).concurrency).toBe(2);
  expect(controller.succeed(4).concurrency).toBe(2);
  expect(controller.succeed(1).concurrency).toBe(3);
  expect(controller.succeed(50).concurrency).toBe(3);
});

test('without enough samples of the latency nothing grows', () => {
  expect(create({ 'concurrency.probe_interval': '1' }).succeed(4).concurrency).toBe(1);
  expect(create({ 'concurrency.probe_interval': '1' }).succeed(50, { tookMs: undefined }).concurrency).toBe(
    1,
  );
});

test('latency rises beyond the threshold: one fewer in flight, half the bytes', () => {
  const controller = create();
  expect(controller.succeed(10)).toMatchObject({ concurrency: 3, maxBytes: 100 * MB });
  // short-term 2.5 times, long-term 1.3 times what it was
  expect(controller.succeed(1, { tookMs: 400 })).toMatchObject({ concurrency: 2, maxBytes: 100 * MB });
  expect(controller.succeed(1, { tookMs: 400 })).toMatchObject({ concurrency: 1, maxBytes: 50 * MB });
});

test('bulks that were in flight together when the latency rose are one retreat', () => {
  const settings = backfillSettings({ concurrency: '8', 'aimd.cooldown_ticks': '0' });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  for (let i = 0; i < 10; i++) controller.observe(success(controller.limits()));
  const inFlight = controller.limits();
  for (let i = 0; i < 8; i++) controller.observe(success(inFlight, { tookMs: 900 }));
  expect(controller.limits().concurrency).toBe(7);
});

test('overload: one fewer, never none; half the bytes, never below the lower limit', () => {
  const controller = create({ concurrency: '3', 'batch.min_bytes': '20mb' });
  const seen = Array.from({ length: 4 }, () => {
    controller.fail();
    const { concurrency, maxBytes } = controller.limits();
    return [concurrency, maxBytes / MB];
  });
  expect(seen).toEqual([
    [2, 100],
    [1, 50],
    [1, 40],
    [1, 40],
  ]);
});

test('the batch grows only when no more may be in flight, by the ratio of the settings', () => {
  const controller = create({ concurrency: '2', 'concurrency.max': '2', 'aimd.increase_ratio': '0.5' });
  controller.fail();
  controller.fail();
  expect(controller.limits()).toMatchObject({ concurrency: 1, maxBytes: 50 * MB });
  expect(controller.succeed(5)).toMatchObject({ concurrency: 2, maxBytes: 50 * MB });
  // the step up is on trial for five successes, then the batch's turn comes, after three pairs
  expect(controller.succeed(5)).toMatchObject({ concurrency: 2, maxBytes: 50 * MB });
  expect(controller.succeed(1)).toMatchObject({ concurrency: 2, maxBytes: 75 * MB });
});

test('one more in flight that is no faster is taken back, and tried again after 8, then 16 intervals', () => {
  const settings = backfillSettings({ 'aimd.cooldown_ticks': '0' });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  const seen: number[] = [];
  for (let interval = 0; interval < 30; interval++) {
    // twice as many in flight take twice as long: the cluster is busy with one
    for (let i = 0; i < 5; i++) {
      const limits = controller.limits();
      controller.observe(success(limits, { elapsedMs: 100 * limits.concurrency }));
    }
    seen.push(controller.limits().concurrency);
  }
  const triedAfter = seen.flatMap((concurrency, interval) => (concurrency === 2 ? [interval] : []));
  expect(triedAfter).toEqual([0, 10, 28]);
  expect(Math.max(...seen)).toBe(2);
});

test('nothing grows during the cooldown after a decrease', () => {
  const controller = create({ 'aimd.cooldown_ticks': '20', 'concurrency.probe_interval': '1' });
  controller.fail();
  expect(controller.succeed(20).concurrency).toBe(1);
  expect(controller.succeed(1).concurrency).toBe(2);
});

test('lowering concurrency.max takes effect at once', () => {
  let settings = backfillSettings({ concurrency: '8' });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  expect(controller.limits().concurrency).toBe(8);
  settings = backfillSettings({ concurrency: '8', 'concurrency.max': '2' });
  expect(controller.limits().concurrency).toBe(2);
  controller.observe(failure(controller.limits()));
  expect(controller.limits().concurrency).toBe(1);
});
