import { createRandom } from '../random';
import { judgeSoak, type ProcessSample, type SoakSample } from './judge-soak';

const megabyte = 2 ** 20;
const random = createRandom(1);
/** Up and down, as a heap between two collections. */
const noise = (range: number): number => random.below(2 * range) - range;

const processSample = (parts: Partial<ProcessSample> = {}): ProcessSample => ({
  pid: 17,
  residentBytes: 120 * megabyte + noise(15 * megabyte),
  heapUsedBytes: 50 * megabyte + noise(15 * megabyte),
  descriptors: 40 + noise(4),
  ...parts,
});

interface Parts extends Partial<Omit<SoakSample, 'processes'>> {
  readonly worker?: Partial<ProcessSample>;
}

/** @param at what is special about the nth sample */
const series = (count: number, at: (n: number) => Parts = () => ({})): readonly SoakSample[] =>
  Array.from({ length: count }, (_, n) => {
    const { worker, ...parts } = at(n);
    return {
      processes: { api: processSample({ pid: 3 }), 'worker-1': processSample(worker) },
      redisKeys: 30 + noise(3),
      snapshots: 0,
      ...parts,
    };
  });

test('what only goes up and down is flat, and each figure is told', () => {
  const { trends, problems } = judgeSoak(series(24));
  expect(problems).toEqual([]);
  expect(trends.map(({ of, figure }) => `${of} ${figure}`)).toEqual([
    'api resident memory',
    'api heap used',
    'api file descriptors',
    'worker-1 resident memory',
    'worker-1 heap used',
    'worker-1 file descriptors',
    'Redis keys',
    'OpenSearch open snapshots',
  ]);
  expect(trends.filter(({ grows }) => grows)).toEqual([]);
});

test.each<[string, (n: number) => Parts, RegExp]>([
  [
    'resident memory, 4 MB a migration',
    (n) => ({ worker: { residentBytes: (120 + 4 * n) * megabyte + noise(10 * megabyte) } }),
    /^worker-1: resident memory grew from 1\d\d MB to 2\d\d MB$/,
  ],
  [
    'heap, 4 MB a migration',
    (n) => ({ worker: { heapUsedBytes: (50 + 4 * n) * megabyte + noise(10 * megabyte) } }),
    /^worker-1: heap used grew/,
  ],
  [
    'one descriptor in each migration',
    (n) => ({ worker: { descriptors: 40 + n + noise(3) } }),
    /^worker-1: file descriptors grew/,
  ],
  [
    'one key in each migration',
    (n) => ({ redisKeys: 30 + n + noise(2) }),
    /^Redis: keys grew from [\d.]+ to [\d.]+$/,
  ],
  [
    'one snapshot in every third migration',
    (n) => ({ snapshots: Math.floor(n / 3) }),
    /^OpenSearch: open snapshots grew/,
  ],
])('a slow leak is found: %s', (_, at, problem) => {
  expect(judgeSoak(series(30, at)).problems).toEqual([expect.stringMatching(problem)]);
});

test('what is taken once is no leak', () => {
  const atOnce = (n: number): Parts => ({
    worker: n < 3 ? { residentBytes: 60 * megabyte, heapUsedBytes: 10 * megabyte, descriptors: 10 } : {},
    redisKeys: n < 3 ? 0 : 30,
  });
  expect(judgeSoak(series(24, atOnce)).problems).toEqual([]);
});

test('one bad sample among good ones is none either', () => {
  const once = (n: number): Parts =>
    n === 22 ? { worker: { residentBytes: 900 * megabyte }, redisKeys: 900 } : {};
  expect(judgeSoak(series(24, once)).problems).toEqual([]);
});

test('a small process may double, a large one may gain 50 MB: both must be too much', () => {
  const small = (n: number): Parts => ({
    worker: { residentBytes: (n < 12 ? 30 : 60) * megabyte, heapUsedBytes: (n < 12 ? 300 : 350) * megabyte },
  });
  expect(judgeSoak(series(24, small)).problems).toEqual([]);
});

test('a process that was started anew, or has gone, spoils it', () => {
  const restarted = series(24, (n) => ({ worker: { pid: n < 7 ? 17 : 18 } }));
  expect(judgeSoak(restarted).problems).toEqual([
    'worker-1 did not live on: it was another one, or none, after migration 8',
  ]);
  const gone = series(24).map((sample, n) =>
    n < 20 ? sample : { ...sample, processes: { api: processSample({ pid: 3 }) } },
  );
  const { problems, trends } = judgeSoak(gone);
  expect(problems).toEqual(['worker-1 did not live on: it was another one, or none, after migration 21']);
  expect(trends.some(({ of }) => of === 'worker-1')).toBe(false);
});

test('too few samples are no verdict', () => {
  expect(judgeSoak(series(5)).problems).toEqual([
    '5 samples say nothing: at least 6 are needed, run it for longer',
  ]);
  expect(judgeSoak(series(6)).problems).toEqual([]);
});
