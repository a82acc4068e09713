import { createController } from '..';
import { throughputOf } from './bulk-report';
import {
  docsWithin,
  shrinkBatchTarget,
  startBatchTarget,
  succeedBatchTarget,
  type BatchTarget,
} from './batch-target';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const MB = 2 ** 20;
const KB = 2 ** 10;
const atOnce = { ticket: 0 };

/** Successes one after the other, all with the same throughput. */
function succeed(state: BatchTarget, settings = backfillSettings(), times = 1, elapsedMs = 100): BatchTarget {
  let next = state;
  for (let i = 0; i < times; i++)
    next = succeedBatchTarget(next, success(atOnce, { elapsedMs }), settings, 0, 1);
  return next;
}

const small = (changes: Record<string, string> = {}, targetBytes = 8 * MB) => {
  const settings = backfillSettings({
    'batch.max_bytes': '256mb',
    'batch.max_docs': '50000',
    'aimd.cooldown_ticks': '0',
    ...changes,
  });
  return { settings, state: { ...startBatchTarget(settings), targetBytes } };
};

describe('documents of a bulk', () => {
  test.each([
    ['256mb', '10kb', '5000', 5000],
    ['256mb', '1mb', '5000', 256],
    ['1mb', '1mb', '5000', 1],
    ['100mb', '10kb', '500', 500],
    ['1mb', '10kb', '500', 102],
  ])('%s at %s each, at most %s: %d', (maxBytes, perDoc, maxDocs, documents) => {
    const settings = backfillSettings({
      'batch.max_bytes': maxBytes,
      'batch.start_bytes_per_doc': perDoc,
      'batch.max_docs': maxDocs,
    });
    expect(docsWithin(startBatchTarget(settings), settings)).toBe(documents);
  });

  test('never none, however large the documents', () => {
    const { settings, state } = small();
    expect(docsWithin({ ...state, bytesPerDoc: 1e12 }, settings)).toBe(1);
  });

  test('the size of documents is followed faster upwards than downwards, from failures too', () => {
    const settings = backfillSettings({ 'batch.max_bytes': '1mb', 'batch.max_docs': '50000' });
    const controller = createController(
      () => ({ controllerType: 'adaptive_batch', controller: settings }),
      () => 0,
    );
    controller.observe(success(controller.limits(), { documents: 1, bytes: 20 * KB }));
    expect(controller.limits().maxDocs).toBe(Math.floor(MB / (15 * KB)));
    controller.observe(success(controller.limits(), { documents: 1, bytes: 5 * KB }));
    expect(controller.limits().maxDocs).toBe(Math.floor(MB / (13 * KB)));
    controller.observe(failure(controller.limits(), 'overload', { documents: 1, bytes: 27 * KB }));
    expect(controller.limits().maxDocs).toBe(Math.floor(MB / 2 / (20 * KB)));
  });
});

describe('decrease', () => {
  test('8 -> 4 -> 2 -> 2 MB', () => {
    const { settings, state } = small({ 'batch.min_bytes': '2mb' });
    const sizes = [];
    let target = state;
    for (let i = 0; i < 3; i++) {
      target = shrinkBatchTarget(target, settings);
      sizes.push(target.targetBytes / MB);
    }
    expect(sizes).toEqual([4, 2, 2]);
  });

  test('starts from the upper limit when that was lowered meanwhile', () => {
    const { state } = small({}, 256 * MB);
    const lowered = backfillSettings({ 'batch.max_bytes': '10mb', 'batch.max_docs': '50000' });
    expect(docsWithin(state, lowered)).toBe(1024);
    expect(shrinkBatchTarget(state, lowered).targetBytes).toBe(5 * MB);
  });
});

test('a decrease starts from what bulks hold, where the number of documents bounds them', () => {
  const { settings, state } = small({ 'batch.max_docs': '500', 'batch.start_bytes_per_doc': '8kb' });
  expect(docsWithin(shrinkBatchTarget(state, settings), settings)).toBe(250);
});

describe('increase', () => {
  test('after three successes by 20 percent, at least by the smallest step', () => {
    const { settings, state } = small();
    expect(succeed(state, settings, 2).targetBytes).toBe(8 * MB);
    expect(succeed(state, settings, 3).targetBytes).toBe(8 * MB + Math.floor(1.6 * MB));
    expect(succeed({ ...state, targetBytes: MB }, settings, 3).targetBytes).toBe(MB + 256 * KB);
  });

  test('bulks in flight together count as one success', () => {
    const { settings, state } = small();
    const settled = success({ ticket: 3 });
    let target = state;
    for (let i = 0; i < 11; i++) target = succeedBatchTarget(target, settled, settings, 3, 4);
    expect(target.targetBytes).toBe(8 * MB);
    expect(succeedBatchTarget(target, settled, settings, 3, 4).targetBytes).toBeGreaterThan(8 * MB);
  });

  test('never beyond the upper limit', () => {
    const { settings, state } = small({}, 250 * MB);
    const grown = succeed(state, settings, 3);
    expect(grown.targetBytes).toBe(256 * MB);
    let target = grown;
    for (let i = 0; i < 30; i++) {
      target = succeed(target, settings);
      expect(target.targetBytes).toBeLessThanOrEqual(256 * MB);
    }
  });

  test('cooldown 2 with threshold 1 grows on the third success', () => {
    const { settings, state } = small({ 'aimd.cooldown_ticks': '2', 'aimd.increase_threshold': '1' });
    const shrunk = shrinkBatchTarget(state, settings);
    expect(succeed(shrunk, settings, 2).targetBytes).toBe(4 * MB);
    expect(succeed(shrunk, settings, 3).targetBytes).toBeGreaterThan(4 * MB);
  });

  test('with the default threshold 3 and cooldown 2 the third success grows, too', () => {
    const { settings, state } = small({ 'aimd.cooldown_ticks': '2' });
    const shrunk = shrinkBatchTarget(state, settings);
    expect(succeed(shrunk, settings, 2).targetBytes).toBe(4 * MB);
    expect(succeed(shrunk, settings, 3).targetBytes).toBeGreaterThan(4 * MB);
  });
});

describe('trial', () => {
  const { settings, state } = small({ 'aimd.cooldown_ticks': '2' });
  const grown = succeed(state, settings, 3);

  test('throughput falls by a tenth: taken back, and nothing grows for a while', () => {
    const judged = succeed(grown, settings, 1, 112);
    expect(judged).toMatchObject({ targetBytes: 8 * MB, cooldown: 1, trial: undefined });
    expect(succeed(judged, settings, 1).targetBytes).toBe(8 * MB);
  });

  test('throughput falls by less: kept', () => {
    expect(succeed(grown, settings, 1, 110).targetBytes).toBe(grown.targetBytes);
  });

  test('a throughput that cannot be measured: taken back', () => {
    expect(succeed(grown, settings, 1, 0).targetBytes).toBe(8 * MB);
  });

  test('only a bulk that was sent after the growth is its judge, and moves anything', () => {
    const waiting = { ...grown, changedAt: 7 };
    expect(succeedBatchTarget(waiting, success({ ticket: 6 }, { elapsedMs: 1000 }), settings, 9, 1)).toEqual(
      waiting,
    );
    const late = succeedBatchTarget(waiting, success({ ticket: 7 }, { elapsedMs: 1000 }), settings, 9, 1);
    expect(late).toMatchObject({ targetBytes: 8 * MB, trial: undefined, changedAt: 9 });
  });
});

describe('a target that may be too large', () => {
  const { settings, state } = small({}, 256 * MB);
  /** Bulks of the target's size, whose bytes each take so long. */
  function run(from: BatchTarget, times: number, msPerMB: (targetBytes: number) => number): number[] {
    const targets: number[] = [];
    let target = from;
    for (let i = 0; i < times; i++) {
      const bytes = target.targetBytes;
      const elapsedMs = (bytes / MB) * msPerMB(bytes);
      target = succeedBatchTarget(target, success(atOnce, { bytes, elapsedMs }), settings, 0, 1);
      if (target.targetBytes !== targets.at(-1)) targets.push(target.targetBytes);
    }
    return targets.map((bytes) => Number((bytes / MB).toFixed(1)));
  }

  test('at the upper limit it is halved for as long as that is faster by a tenth, and then grows again', () => {
    const slowerBeyond32 = (bytes: number) => 20 * Math.max(1, bytes / (32 * MB));
    expect(run(state, 18, slowerBeyond32)).toEqual([256, 128, 64, 32, 16, 32, 38.4, 32, 38.4]);
  });

  test('half that is no faster is taken back, and tried again after 2, then 4, then 8 intervals', () => {
    const halvedAfter: number[] = [];
    let target = state;
    for (let i = 0; i < 60; i++) {
      const before = target.targetBytes;
      target = succeed(target, settings);
      if (target.targetBytes < before) halvedAfter.push(i);
    }
    expect(halvedAfter).toEqual([2, 11, 26, 53]);
  });

  test('after a growth that did not pay half is tried, also far below the limit', () => {
    const slowerBeyond4 = (bytes: number) => 20 * Math.max(1, bytes / (4 * MB));
    expect(run({ ...state, targetBytes: 8 * MB }, 12, slowerBeyond4).slice(0, 5)).toEqual([8, 9.6, 8, 4, 2]);
  });

  test('never below the lower limit', () => {
    const faster = (bytes: number) => bytes;
    expect(Math.min(...run(state, 200, faster))).toBe(0.5);
  });

  test('what the number of documents bounds is halved from what bulks hold', () => {
    const few = small({ 'batch.max_docs': '500', 'batch.start_bytes_per_doc': '20kb' }, 256 * MB);
    expect(succeed(few.state, few.settings, 3).targetBytes).toBe((500 * 20 * KB) / 2);
  });
});

test('the baseline of throughput moves by 30 percent', () => {
  const { settings, state } = small();
  const first = succeed(state, settings, 1, 100);
  expect(first.baseline).toBe(throughputOf(success(atOnce, { elapsedMs: 100 })));
  expect(succeed(first, settings, 1, 200).baseline).toBeCloseTo(0.7 * 1000 + 0.3 * 500);
});
