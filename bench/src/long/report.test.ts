import { drawLong } from './plot';
import { createLongReport, speeds, speedsByPart } from './report';
import type { LongResult, LongSample } from './results';

const megabyte = 2 ** 20;

/** @param second of the copy, which brings 1,000 documents a second for a minute and then 500 */
const sampleAt = (second: number): LongSample => ({
  seconds: second,
  phase: 'ACTIVE',
  documentsCopied: second <= 60 ? 1000 * second : 60_000 + 500 * (second - 60),
  gap: second > 60 ? 40 : 0,
  workerBytes: (200 + second) * megabyte,
  pinnedBytes: 30 * megabyte,
  sourceBytes: 900 * megabyte,
  targetBytes: second * megabyte,
  clusterCpuSeconds: 1.5 * second,
  written: 200 * second,
});
const samples = Array.from({ length: 11 }, (_, n) => sampleAt(10 * n));

const result: LongResult = {
  kind: 'long',
  date: '2026-01-01T00:00:00.000Z',
  commit: 'abc',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.5 },
  documents: 80_000,
  sourceShards: 4,
  targetShards: 8,
  rate: 500,
  everySeconds: 10,
  loseAt: 0,
  settings: {},
  samples,
  copySeconds: 100,
  endToEndSeconds: 120,
  blockMs: 700,
  longestPauseMs: 800,
  refusedWrites: 12,
  cpuSeconds: { worker: 6, scheduler: 2, api: 1 },
  clusterCpuSeconds: 150,
  verifiedDocuments: 4321,
};

test('a copy that slows down shows it in its last fifths', () => {
  expect(speedsByPart(samples)).toEqual([1000, 1000, 1000, 500, 500]);
});

test('a sample in which nothing was copied has no speed', () => {
  expect(speeds([sampleAt(0), sampleAt(10), { ...sampleAt(10), seconds: 20 }])).toEqual([
    { seconds: 10, docsPerSecond: 1000 },
  ]);
});

test('the report has what may have grown, and what it cost', () => {
  const lines = createLongReport(result).join('\n');
  expect(lines).toContain('copy 100 s (800 docs/s), start to COMPLETED 120 s');
  expect(lines).toContain('1,000, 1,000, 1,000, 500, 500');
  expect(lines).toContain('block 700 ms, longest pause of a writer 800 ms, 12 writes refused');
  expect(lines).toContain(
    "worker at most 300 MB in RAM, snapshots pinned at most 30 MB of the source's 900 MB",
  );
  expect(lines).toContain("worker 6 s, scheduler 2 s, api 1 s (0.06 of the cluster's)");
  expect(lines).toContain('4,321 documents');
  expect(lines).not.toContain('snapshots were closed');
});

test('a target that was made of files is told as one', () => {
  expect(createLongReport(result)[0]).toContain('4 → 8 shards, 500');
  const byFiles = { ...result, byFiles: true };
  expect(createLongReport(byFiles)[0]).toContain('4 → 8 shards by files, 500');
  expect(drawLong(byFiles)).toContain('4 → 8 shards by files, 500');
});

test('snapshots that were closed are named, and drawn as a line', () => {
  const lost = { ...result, lostAtSeconds: 50 };
  expect(createLongReport(lost).join('\n')).toContain('all snapshots were closed after 50 s');
  expect(drawLong(lost)).toContain('class="lost"');
  expect(drawLong(result)).not.toContain('class="lost"');
});

test('each figure has a panel; one that was not measured is empty', () => {
  const unmeasured = samples.map(({ workerBytes: _workerBytes, ...rest }) => rest);
  const lines = (svg: string): number => svg.split('<path').length - 1;
  expect(lines(drawLong(result))).toBe(4);
  expect(lines(drawLong({ ...result, samples: unmeasured }))).toBe(3);
});
