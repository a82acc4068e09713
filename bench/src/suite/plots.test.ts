import { drawBars } from './bars';
import { drawGaps } from './gap-plot';
import { drawPlots } from './plots';
import type { CaseResult, ContestantSummary, Spread, SustainedRun } from './results';

const exactly = (value: number): Spread => ({ median: value, least: value, most: value });

const createSummary = (contestant: string, speed: number): ContestantSummary => ({
  contestant,
  copyDocsPerSecond: exactly(speed),
  copyRatio: exactly(1),
  endToEndDocsPerSecond: exactly(speed / 2),
  endToEndRatio: exactly(1),
  clusterCpuSeconds: exactly(7),
  clusterCpuRatio: exactly(1),
  cpuSeconds: undefined,
  peakBytes: undefined,
});

const createRun = (share: number, gap: readonly (readonly [number, number])[]): SustainedRun => ({
  share,
  offeredPerSecond: 100,
  donePerSecond: 100,
  completed: share < 0.5,
  phase: share < 0.5 ? 'COMPLETED' : 'ACTIVE',
  reason: undefined,
  seconds: 20,
  longestPauseMs: 5,
  gap: gap.map(([seconds, operations]) => ({ seconds, operations })),
});

/** Attributes of all elements of a class that are empty. */
function attributesOf(svg: string, name: string): readonly Readonly<Record<string, string>>[] {
  return svg
    .split('<')
    .filter((element) => element.includes(` class="${name}"`) && element.includes('/>'))
    .map((element) =>
      Object.fromEntries(
        [...element.matchAll(/ (\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      ),
    );
}

test('bars are as long as their values, within their case', () => {
  const bar = (label: string, value: number, isOwn: boolean) => ({ label, value: exactly(value), isOwn });
  const svg = drawBars('Speed', 'docs/s', [
    { label: 'small', bars: [bar('rival', 4000, false), bar('AOSC', 2000, true)] },
    { label: 'large', bars: [bar('rival', 5, false), bar('AOSC', 10, true)] },
  ]);
  const widths = (name: string) => attributesOf(svg, name).map(({ width }) => Number(width));
  const [smallRival, largeRival] = widths('others');
  const [smallOwn, largeOwn] = widths('own');
  expect(smallOwn).toBe((smallRival ?? 0) / 2);
  expect(largeRival).toBe((largeOwn ?? 0) / 2);
  expect(largeOwn).toBe(smallRival);
  expect(svg).toContain('>4,000 docs/s<');
  expect(attributesOf(svg, 'spread')).toEqual([]);
});

test('a spread is a line over its bar, from the least to the most', () => {
  const value = { median: 50, least: 25, most: 100 };
  const svg = drawBars('Speed', 's', [{ label: 'one', bars: [{ label: 'a', value, isOwn: true }] }]);
  const [bar] = attributesOf(svg, 'own');
  const [spread] = attributesOf(svg, 'spread');
  const from = Number(bar?.['x']);
  const length = Number(bar?.['width']);
  expect(Number(spread?.['x1']) - from).toBe(length / 2);
  expect(Number(spread?.['x2']) - from).toBe(length * 2);
});

test('a gap that grows climbs, and its legend says how the migration ended', () => {
  const run = (share: number, end: number) =>
    createRun(share, [
      [0, 10],
      [20, end],
    ]);
  const svg = drawGaps([run(0.2, 0), run(0.8, 500)]);
  const ends = [...svg.matchAll(/<path d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)" class="line(\d)"/g)];
  const climbs = ends.map(([, from, to, line]) => [line, Math.sign(Number(from) - Number(to))]);
  expect(climbs).toContainEqual(['0', -1]);
  expect(climbs).toContainEqual(['1', 1]);
  expect(svg).toContain('>20 %: ended<');
  expect(svg).toContain('>80 %: ACTIVE<');
});

test('a migration without a gap has a legend and no line', () => {
  const svg = drawGaps([createRun(0.2, [])]);
  expect(svg).toContain('>20 %: ended<');
  expect(svg).not.toContain('<circle');
});

test('there is a plot for what was measured, and none for what was not', () => {
  const shape = { documents: 10, sourceShards: 1, targetShards: 1 };
  const copy: CaseResult = {
    name: 'cities',
    kind: 'copy',
    ...shape,
    sourceBytesPerDocument: 1,
    updates: 0,
    deletedDocuments: 0,
    script: undefined,
    warmUp: [],
    runs: [],
    summary: {
      bestReindex: '_reindex 1000',
      contestants: [createSummary('_reindex 1000', 600), createSummary('AOSC', 500)],
    },
  };
  const sustained: CaseResult = {
    name: 'sustained',
    kind: 'sustained',
    ...shape,
    writers: 1,
    maximum: exactly(100),
    boundSeconds: 1,
    runs: [createRun(0.2, [[0, 1]])],
  };
  expect(drawPlots([{ name: 'large', kind: 'failed', reason: 'no' }])).toEqual([]);
  expect(drawPlots([copy]).map(({ name }) => name)).toEqual(['speed', 'cpu']);
  const plots = drawPlots([copy, sustained]);
  expect(plots.map(({ name }) => name)).toEqual(['speed', 'cpu', 'gap']);
  const [speed] = plots;
  // A _reindex has one speed; AOSC has that of its copy, and that of everything.
  for (const figure of ['>300 docs/s<', '>500 docs/s<', '>250 docs/s<']) expect(speed?.svg).toContain(figure);
});
