import { renderReport } from './report';
import { describeVerdict, judgeLines, type SoakLine } from './results';

const megabyte = 2 ** 20;
const begun = Date.parse('2025-01-01T00:00:00.000Z');

/** A soak that was to last ten minutes, with one migration in each. */
const soak = (count: number, at: (n: number) => Partial<SoakLine> = () => ({})): readonly SoakLine[] =>
  Array.from({ length: count }, (_, n) => ({
    soak: new Date(begun).toISOString(),
    firstSeed: 7,
    minutes: 10,
    commit: 'abc1234',
    seed: 7 + n,
    plan: 'a plan',
    fault: n % 3 === 0 ? 'none' : 'overload',
    phase: 'ACTIVE',
    end: 'COMPLETED',
    operations: 1_000,
    problems: [],
    sample: {
      processes: {
        worker: { pid: 1, residentBytes: 90 * megabyte, heapUsedBytes: 40 * megabyte, descriptors: 30 + n },
      },
      redisKeys: 30,
      snapshots: 0,
    },
    keys: ['a-key'],
    at: new Date(begun + (n + 1) * 60_000).toISOString(),
    ...at(n),
  }));
const steady = (n: number): Partial<SoakLine> => {
  const { sample } = soak(1)[0] ?? {};
  return n < 0 || sample === undefined ? {} : { sample };
};

test('a soak is flat only with enough migrations, and after the time that was asked for', () => {
  expect(describeVerdict(judgeLines(soak(16, steady)))).toBe('flat');
  expect(describeVerdict(judgeLines(soak(14, steady)))).toBe('too short to say: 14 samples, 15 are needed');
  const brief = soak(16, (n) => ({ ...steady(n), at: new Date(begun + (n + 1) * 30_000).toISOString() }));
  expect(describeVerdict(judgeLines(brief))).toBe('too short to say: ended after 8.0 of 10 minutes');
});

test('what is wrong is wrong in a short one, too', () => {
  const lines = soak(3, (n) => (n === 1 ? { problems: ['a document is missing'] } : {}));
  const verdict = judgeLines(lines);
  expect(describeVerdict(verdict)).toBe('not as it must be');
  expect(verdict.problems).toEqual(['seed 8, overload in ACTIVE: a document is missing']);
});

test('the page shows verdict, slope and what would have been seen', () => {
  const page = renderReport([soak(16)]);
  expect(page).toContain('16 migrations, 10 of them with a fault, 0 restarts and freezes, 16,000 operations');
  expect(page).toContain('Verdict: **not as it must be**');
  expect(page).toContain('| worker | file descriptors | 34.5 | 39 | 43.5 | +1 ± 0 | 0.5 | **grows** |');
  expect(page).toContain(
    '| worker | heap used | 40 MB | 40 MB | 40 MB | +0.00 MB ± 0.00 MB | 2.67 MB | flat |',
  );
});
