import { createRandom } from '../random';
import { evaluateSoak, leastSamples, type ProcessSample, type SoakSample } from './evaluate-soak';

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
      redisKeys: 30 + noise(4),
      snapshots: 0,
      ...parts,
    };
  });

/** Processes and migrations of so many soaks. */
const soaks = 200;
const verdicts = (count: number, at?: (n: number) => Parts) =>
  Array.from({ length: soaks }, () => evaluateSoak(series(count, at)).problems);

test('each figure is reported, with what would have been seen', () => {
  const { trends, problems, tooShort } = evaluateSoak(series(24));
  expect({ problems, tooShort }).toEqual({ problems: [], tooShort: undefined });
  expect(trends.map(({ of, figure }) => `${of} ${figure}`)).toEqual([
    'api resident memory',
    'api heap used',
    'api file descriptors',
    'worker-1 resident memory',
    'worker-1 heap used',
    'worker-1 file descriptors',
    'Redis keys',
  ]);
  expect(trends.at(-1)?.visibleFrom).toBe(0.3);
  expect(trends[0]?.visibleFrom).toBe(1.6 * megabyte);
});

test.each([15, 20, 40])('what only goes up and down is flat: %i migrations', (count) => {
  const wrong = verdicts(count).filter((problems) => problems.length > 0);
  expect(wrong.length).toBeLessThanOrEqual(soaks / 50);
});

test.each([2, 5, 9, 30])('a heap that fills in %i migrations and is then emptied is flat', (period) => {
  const sawtooth = (n: number): Parts => {
    const bytes = (60 + 30 * ((n % period) / period)) * megabyte;
    return { worker: { heapUsedBytes: bytes, residentBytes: bytes + 80 * megabyte } };
  };
  for (const count of [15, 20, 40]) expect(evaluateSoak(series(count, sawtooth)).problems).toEqual([]);
});

test.each<[string, number, (n: number) => Parts, RegExp]>([
  [
    'one descriptor in each migration',
    15,
    (n) => ({ worker: { descriptors: 40 + n + noise(4) } }),
    /^worker-1: file descriptors grew from [\d.]+ to [\d.]+, by [\d.]+ with each migration$/,
  ],
  [
    'one descriptor in every second migration',
    30,
    (n) => ({ worker: { descriptors: 40 + n / 2 + noise(4) } }),
    /^worker-1: file descriptors grew/,
  ],
  ['one key in each migration', 15, (n) => ({ redisKeys: 30 + n + noise(4) }), /^Redis: keys grew/],
  [
    'heap, 3 MB in each migration',
    20,
    (n) => ({ worker: { heapUsedBytes: (50 + 3 * n) * megabyte + noise(15 * megabyte) } }),
    /^worker-1: heap used grew from \d+ MB to \d+ MB, by \d\.\d\d MB with each migration$/,
  ],
  [
    'heap, 0.75 MB in each migration',
    80,
    (n) => ({ worker: { heapUsedBytes: (50 + 0.75 * n) * megabyte + noise(15 * megabyte) } }),
    /^worker-1: heap used grew/,
  ],
  [
    'resident memory, 3 MB in each migration',
    20,
    (n) => ({ worker: { residentBytes: (120 + 3 * n) * megabyte + noise(15 * megabyte) } }),
    /^worker-1: resident memory grew/,
  ],
])('a slow leak is found: %s', (_, count, at, problem) => {
  const found = verdicts(count, at).filter((problems) => problems.some((each) => problem.test(each)));
  expect(found.length).toBeGreaterThanOrEqual(0.98 * soaks);
});

test.each([1, 9, 12, 15, 20])('what is taken once, before migration %i of 24, is no leak', (when) => {
  const once = (n: number): Parts => {
    const more = n < when ? 0 : 1;
    return {
      worker: {
        residentBytes: (70 + 50 * more) * megabyte,
        heapUsedBytes: (30 + 50 * more) * megabyte,
        descriptors: 30 + 20 * more,
      },
      redisKeys: 10 + 20 * more,
    };
  };
  expect(evaluateSoak(series(24, once)).problems).toEqual([]);
});

test('some bad samples among good ones are none either', () => {
  const sometimes = (n: number): Parts =>
    n > 21 ? { worker: { residentBytes: 900 * megabyte }, redisKeys: 900 } : {};
  expect(evaluateSoak(series(24, sometimes)).problems).toEqual([]);
});

test('a snapshot that is open after a migration is a problem, also when the next closes it', () => {
  expect(evaluateSoak(series(24, (n) => ({ snapshots: n === 7 ? 2 : 0 }))).problems).toEqual([
    'OpenSearch: 2 snapshots were still open after migration 8',
  ]);
});

test('a process that was started again, or has gone, spoils it', () => {
  const restarted = series(24, (n) => ({ worker: { pid: n < 7 ? 17 : 18 } }));
  expect(evaluateSoak(restarted).problems).toEqual([
    'worker-1 did not live on: it was another one, or none, after migration 8',
  ]);
  const gone = series(24).map((sample, n) =>
    n < 20 ? sample : { ...sample, processes: { api: processSample({ pid: 3 }) } },
  );
  const { problems, trends } = evaluateSoak(gone);
  expect(problems).toEqual(['worker-1 did not live on: it was another one, or none, after migration 21']);
  expect(trends.some(({ of }) => of === 'worker-1')).toBe(false);
});

test('too few samples are no verdict', () => {
  expect(evaluateSoak(series(leastSamples - 1))).toEqual({
    trends: [],
    problems: [],
    tooShort: '14 samples, 15 are needed',
  });
  expect(evaluateSoak(series(leastSamples)).tooShort).toBeUndefined();
});

/** Idle connections to OpenSearch, as the last crowd has left them. */
const crowd =
  (leak: number) =>
  (n: number): Parts => {
    const connections = 10 + random.below(30) + Math.round(leak * n);
    return { worker: { connections, descriptors: 40 + connections, sockets: 20 + connections } };
  };

test('connections that come and go with a crowd are flat, and those that add up are found', () => {
  expect(verdicts(40, crowd(0)).filter((problems) => problems.length > 0).length).toBeLessThanOrEqual(
    soaks / 50,
  );
  const grown = verdicts(40, crowd(3));
  expect(
    grown.filter(([problem]) => problem?.startsWith('worker-1: connections to OpenSearch grew') === true),
  ).toHaveLength(soaks);
});
