import { type CopyObservation, haveCountsPassed, evaluateCopy } from './evaluate-copy';

const exact: CopyObservation = {
  sourceCount: 60,
  targetCount: 60,
  tolerance: 0,
  knownMissing: 0,
  missing: undefined,
  short: undefined,
  explanations: ['two documents share the place [x]'],
  hazard: undefined,
  lagging: [],
};
const behind = { shard: 0, isSearchOnly: false, state: 'behind' } as const;
const differ = (source: number, target: number, tolerance = 0): string =>
  `Doc count validation failed: source=${source}, target=${target}, diff=${Math.abs(source - target)}, ` +
  `tolerance=${tolerance}`;

test.each<[string, Partial<CopyObservation>]>([
  ['the counts agree', {}],
  ['they differ by what is tolerated', { sourceCount: 62, tolerance: 2 }],
  ['the target lacks what it refuses, and that alone', { targetCount: 58, knownMissing: 2 }],
  ['the target has more, and it is tolerated', { targetCount: 62, tolerance: 2 }],
])('it is swapped when %s', (_, parts) => {
  expect(evaluateCopy({ ...exact, ...parts })).toEqual({ type: 'swap' });
  expect(haveCountsPassed({ ...exact, ...parts })).toBe(true);
});

test.each<[string, Partial<CopyObservation>, string]>([
  [
    'the target has a document in place of one that it refuses',
    { targetCount: 59, knownMissing: 2 },
    'Doc count validation failed: source=60, target=59, diff=1, tolerance=0, set aside=2',
  ],
  [
    'the source has more, with what may have become one',
    { sourceCount: 61 },
    `${differ(61, 60)}; two documents share the place [x]`,
  ],
  ['the target has more, which nothing explains', { targetCount: 63, tolerance: 2 }, differ(60, 63, 2)],
  [
    'documents of a snapshot are missing, whatever the tolerance allows',
    { tolerance: 5, short: 'shard [0] holds 9 of 10' },
    `${differ(60, 60, 5)}; shard [0] holds 9 of 10; two documents share the place [x]`,
  ],
  [
    'they are missing, and so are those that the query leaves out, which says more than equal counts',
    { short: 'shard [0] holds 9 of 10', missing: 'one is missing without the query' },
    'one is missing without the query; shard [0] holds 9 of 10; two documents share the place [x]',
  ],
  ['only what the query leaves out is missing', { missing: 'without the query' }, 'without the query'],
])('it fails when %s', (_, parts, reason) => {
  expect(evaluateCopy({ ...exact, ...parts })).toEqual({ type: 'fail', reason });
});

test('an intrusion is the reason before all others', () => {
  const hazard = 'the alias was moved';
  expect(evaluateCopy({ ...exact, sourceCount: 61, lagging: [behind], hazard })).toEqual({
    type: 'fail',
    reason: hazard,
  });
});

test('replicas that lag are waited for, unless the counts fail; what the query leaves out can wait as well', () => {
  expect(evaluateCopy({ ...exact, lagging: [behind] })).toEqual({ type: 'wait' });
  expect(evaluateCopy({ ...exact, lagging: [behind], missing: 'one' })).toEqual({ type: 'wait' });
  expect(evaluateCopy({ ...exact, lagging: [behind], sourceCount: 61 }).type).toBe('fail');
});
