import { ProcessBulks, createController } from '..';
import { success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

test('what ended meanwhile counts, of all shards, and what was refused does not', () => {
  const processBulks = new ProcessBulks();
  const first = processBulks.begin();
  const second = processBulks.begin();
  processBulks.begin();
  expect(second(100)).toEqual({ bulks: 1, bytes: 100 });
  expect(processBulks.begin()(5)).toEqual({ bulks: 1, bytes: 5 });
  expect(first(20)).toEqual({ bulks: 3, bytes: 125 });
});

const bulkBytes = 100_000;
const shards = 4;

/**
 * Shards that share a cluster which works on so many bulks at full speed, and on more of them in equal parts.
 * @returns bulks in flight in the end, on average over the last quarter, and bulks a second over it
 */
function simulate({
  threads,
  knowsOthers,
  bulks,
}: {
  threads: number;
  knowsOthers: boolean;
  bulks: number;
}): {
  readonly inFlight: number;
  readonly perSecond: number;
} {
  const settings = backfillSettings({ concurrency: '1', 'concurrency.max': '8', 'batch.max_docs': '100' });
  const processBulks = new ProcessBulks();
  const writers = Array.from({ length: shards }, () =>
    createController(
      () => ({ controllerType: 'adaptive', controller: settings }),
      () => 0,
    ),
  );
  const running: {
    writer: number;
    ticket: number;
    leftMs: number;
    sentAt: number;
    end: ReturnType<ProcessBulks['begin']>;
  }[] = [];
  let now = 0;
  let begunAt = 0;
  let inFlightSum = 0;
  for (let ended = 0; ended < bulks; ended += 1) {
    for (const [writer, controller] of writers.entries()) {
      const { ticket, concurrency } = controller.limits();
      while (running.filter((each) => each.writer === writer).length < concurrency) {
        // Not all alike: else they would go on in step.
        running.push({
          writer,
          ticket,
          leftMs: 90 + ((ended * 7 + running.length * 13) % 20),
          sentAt: now,
          end: processBulks.begin(),
        });
      }
    }
    const speed = Math.min(1, threads / running.length);
    running.sort((a, b) => a.leftMs - b.leftMs);
    const [next] = running.splice(0, 1);
    if (next === undefined) throw new Error('nothing runs');
    now += next.leftMs / speed;
    for (const each of running) each.leftMs -= next.leftMs;
    if (ended === Math.floor((3 * bulks) / 4)) begunAt = now;
    if (ended >= (3 * bulks) / 4) inFlightSum += running.length + 1;
    const elapsedMs = now - next.sentAt;
    const measured = { bytes: bulkBytes, elapsedMs, tookMs: elapsedMs };
    const along = next.end(bulkBytes);
    writers[next.writer]?.observe(
      success({ ticket: next.ticket }, { ...measured, ...(knowsOthers && { along }) }),
    );
  }
  return { inFlight: inFlightSum / (bulks / 4), perSecond: bulks / 4 / ((now - begunAt) / 1000) };
}

test('shards that know of each other do not crowd a cluster that is busy with one bulk of each', () => {
  const alone = simulate({ threads: 2, knowsOthers: false, bulks: 2000 });
  const together = simulate({ threads: 2, knowsOthers: true, bulks: 2000 });
  expect(alone.inFlight).toBeGreaterThan(20);
  expect(together.inFlight).toBeLessThan(10);
  expect(together.perSecond).toBeGreaterThan(0.97 * alone.perSecond);
});

test('and they use a cluster that has room for more', () => {
  const { perSecond } = simulate({ threads: 16, knowsOthers: true, bulks: 2000 });
  // Sixteen at a time, of 100 ms each.
  expect(perSecond).toBeGreaterThan(0.9 * 160);
});
