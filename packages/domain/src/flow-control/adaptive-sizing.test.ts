import { createController } from '..';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const KB = 2 ** 10;
const MB = 2 ** 20;

/** Nothing but the byte target bounds a bulk. */
const unbounded = { 'batch.max_docs': '50000', 'batch.start_bytes_per_doc': '10kb' };

interface Speed {
  readonly tookMs?: number | undefined;
  /** by the bulks in flight and the bytes of one of them */
  readonly elapsedMs?: (inFlight: number, bytes: number) => number;
}

/** Keeps as many bulks in flight as the limits allow; the oldest ends first. */
function create(changes: Record<string, string> = {}) {
  const settings = backfillSettings({
    'concurrency.max': '3',
    'aimd.cooldown_ticks': '0',
    'batch.start_bytes_per_doc': '1kb',
    ...changes,
  });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  const inFlight: { ticket: number; documents: number }[] = [];
  const fill = (): void => {
    for (;;) {
      const { ticket, concurrency, maxDocs } = controller.limits();
      if (inFlight.length >= concurrency) return;
      inFlight.push({ ticket, documents: Math.min(maxDocs, 100) });
    }
  };
  return {
    limits: () => controller.limits(),
    /** @returns the limits after so many successes */
    succeed(times: number, speed: Speed = {}) {
      const { elapsedMs = () => 100 } = speed;
      for (let i = 0; i < times; i++) {
        fill();
        const together = inFlight.length;
        const [{ ticket, documents } = { ticket: 0, documents: 1 }] = inFlight.splice(0, 1);
        const bytes = documents * KB;
        const measured = {
          documents,
          bytes,
          elapsedMs: elapsedMs(together, bytes),
          tookMs: 'tookMs' in speed ? speed.tookMs : documents,
        };
        controller.observe(success({ ticket }, measured));
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
  // The first two were sent while only one was in flight, or met such a one.
  expect(controller.succeed(6).concurrency).toBe(2);
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
  const controller = create({ ...unbounded, concurrency: '3' });
  expect(controller.succeed(8)).toMatchObject({ concurrency: 3, maxBytes: 100 * MB });
  // short-term 2.5 times, long-term 1.3 times what it was
  expect(controller.succeed(1, { tookMs: 400 })).toMatchObject({ concurrency: 2, maxBytes: 100 * MB });
  // Two more were in flight when it retreated.
  expect(controller.succeed(2, { tookMs: 400 })).toMatchObject({ concurrency: 2, maxBytes: 100 * MB });
  expect(controller.succeed(1, { tookMs: 800 })).toMatchObject({ concurrency: 1, maxBytes: 50 * MB });
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
  const controller = create({ ...unbounded, concurrency: '3', 'batch.min_bytes': '20mb' });
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
  const controller = create({
    ...unbounded,
    concurrency: '2',
    'concurrency.max': '2',
    'aimd.increase_ratio': '0.5',
  });
  controller.fail();
  controller.fail();
  expect(controller.limits()).toMatchObject({ concurrency: 1, maxBytes: 50 * MB });
  expect(controller.succeed(5)).toMatchObject({ concurrency: 2, maxBytes: 50 * MB });
  // The step up is on trial for five successes, then the batch's turn comes, after three pairs.
  expect(controller.succeed(7)).toMatchObject({ concurrency: 2, maxBytes: 50 * MB });
  expect(controller.succeed(1)).toMatchObject({ concurrency: 2, maxBytes: 75 * MB });
});

/** Numbers of successes after which one more was put in flight. */
function stepsUp(controller: ReturnType<typeof create>, successes: number, speed: Speed): number[] {
  let before = controller.limits().concurrency;
  const steps: number[] = [];
  for (let n = 1; n <= successes; n++) {
    const { concurrency } = controller.succeed(1, speed);
    if (concurrency > before) steps.push(n);
    before = concurrency;
  }
  return steps;
}

test('one more in flight that is no faster is taken back, and tried again after 8, then 16 intervals', () => {
  // Twice as many in flight take twice as long: the cluster is busy with one.
  const busy = (inFlight: number) => 100 * inFlight;
  const controller = create();
  expect(stepsUp(controller, 160, { elapsedMs: busy })).toEqual([5, 58, 151]);
  expect(controller.limits().concurrency).toBe(1);
});

test('where the source is read too slowly for two in flight, a second one is seen to bring nothing', () => {
  const settings = backfillSettings({ 'aimd.cooldown_ticks': '0' });
  const controller = createController(
    () => ({ controllerType: 'adaptive', controller: settings }),
    () => 0,
  );
  const seen: number[] = [];
  for (let n = 0; n < 40; n++) {
    controller.observe(success(controller.limits()));
    seen.push(controller.limits().concurrency);
  }
  expect(Math.max(...seen)).toBe(2);
  expect(controller.limits().concurrency).toBe(1);
});

test('one more that does not pay has a second chance with half the bytes, then both go back', () => {
  // What is in flight beyond 100 KB makes everything slower.
  const knee = (inFlight: number, bytes: number) =>
    10 + (bytes / KB) * Math.max(1, (inFlight * bytes) / (100 * KB));
  const small = { 'batch.min_bytes': '1kb', 'batch.max_docs': '100', 'concurrency.max': '2' };
  const controller = create(small);
  expect(controller.succeed(6, { elapsedMs: knee })).toMatchObject({ concurrency: 2, maxDocs: 100 });
  expect(controller.succeed(7, { elapsedMs: knee })).toMatchObject({ concurrency: 2, targetBytes: 50 * KB });
  const paid = controller.succeed(20, { elapsedMs: knee });
  expect(paid.concurrency).toBe(2);
  expect(paid.targetBytes).toBeLessThanOrEqual(50 * KB);
  const inVain = create(small);
  const busy = (inFlight: number, bytes: number) => 20 + inFlight * (bytes / KB);
  expect(inVain.succeed(6, { elapsedMs: busy })).toMatchObject({ concurrency: 2, maxDocs: 100 });
  expect(inVain.succeed(7, { elapsedMs: busy })).toMatchObject({ concurrency: 2, targetBytes: 50 * KB });
  expect(inVain.succeed(7, { elapsedMs: busy })).toMatchObject({ concurrency: 1, targetBytes: 100 * MB });
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
