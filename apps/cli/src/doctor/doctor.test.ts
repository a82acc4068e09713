import { noPaint } from '../output/paint';
import { renderFindings } from '../commands/doctor';
import {
  judgeClock,
  judgePersistence,
  judgeRedisMemory,
  judgeRedisVersion,
  judgeRoundTrip,
  judgeRunning,
  judgeSnapshotRoom,
  judgeVersion,
  look,
  median,
  ok,
} from './finding';
import { findBlocks } from './opensearch-answers';
import { findTraps, flatten, takes } from './traps';

test.each([
  ['7.2.4', 'ok'],
  ['6.2.0', 'ok'],
  ['6.0.16', 'warn'],
  ['5.0.0', 'warn'],
  ['4.9.9', 'fail'],
  ['?', 'warn'],
])('Redis %s: %s', (version, level) => expect(judgeRedisVersion(version).level).toBe(level));

test.each([
  ['2.4.0', 'fail'],
  ['2.8.9', 'fail'],
  ['2.9.0', 'warn'],
  ['2.17.1', 'ok'],
  ['3.7.0', 'ok'],
  ['3.8.0-SNAPSHOT', 'ok'],
  ['4.0.0', 'warn'],
  ['7.10.2', 'warn'],
  ['?', 'warn'],
])('OpenSearch %s: %s', (version, level) => expect(judgeVersion(version).level).toBe(level));

test.each([
  [4000, 0, 'ok'],
  [-5001, 0, 'warn'],
  [5500, 600, 'ok'],
  [9_000_000, 600, 'warn'],
])('a clock that is off by %d, give or take %d: %s', (skew, error, level) =>
  expect(judgeClock('it', skew, error).level).toBe(level),
);

test.each([
  [10, 300, 0, 'ok'],
  [290, 300, 0, 'warn'],
  [290, 300, 10, 'warn'],
  [100, 300, 200, 'ok'],
  [291, 300, 10, 'fail'],
])('%d points in time of %d, and %d needed: %s', (open, limit, needed, level) => {
  expect(judgeSnapshotRoom('n', open, limit, needed, 'the.setting').level).toBe(level);
});

test('round trips go by the median', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(judgeRoundTrip([1, 2, 900]).level).toBe('ok');
  expect(judgeRoundTrip([60, 2, 900]).level).toBe('warn');
  expect(judgeRoundTrip([60, 61, 900], 'near to the API').advice).toBe('near to the API');
});

test.each(['worker', 'scheduler'] as const)('a service without a %s', (what) => {
  const { level, advice } = judgeRunning(what, 0);
  expect([level, advice]).toEqual(['fail', expect.stringContaining(`npm run ${what}`)]);
  expect([1, 2].map((count) => judgeRunning(what, count).text)).toEqual(['1 takes jobs', '2 take jobs']);
});

test('memory and persistence', () => {
  expect(
    [judgeRedisMemory(9, 0), judgeRedisMemory(7, 10), judgeRedisMemory(8, 10)].map(({ level }) => level),
  ).toEqual(['ok', 'ok', 'warn']);
  expect([judgePersistence(false, false), judgePersistence(true, false)].map(({ level }) => level)).toEqual([
    'ok',
    'ok',
  ]);
});

test.each([
  ['*', true],
  ['.aosc*', true],
  ['*-migrations', true],
  ['.aosc-migrations', true],
  ['.a*-*ns', true],
  ['logs-*', false],
  ['*aosc', false],
  ['.aosc-migrations*migrations', false],
])('the pattern %s takes the index: %s', (pattern, expected) => {
  expect(takes(pattern, '.aosc-migrations')).toBe(expected);
});

test('a template that spoils the index of the service', () => {
  const all = {
    name: 'all',
    patterns: ['logs-*', '*'],
    settings: flatten({ index: { final_pipeline: 'stamp', number_of_replicas: '1' } }),
  };
  const harmless = {
    name: 'fine',
    patterns: ['*'],
    settings: { 'index.default_pipeline': '_none', 'index.blocks.write': 'false' },
  };
  const elsewhere = { ...all, name: 'logs', patterns: ['logs-*'] };
  expect(findTraps([all, harmless, elsewhere], '.aosc-migrations')).toEqual([
    { template: 'all', pattern: '*', settings: ['index.final_pipeline'] },
  ]);
});

test('settings in both forms', () => {
  expect(flatten({ index: { a: { b: 1 } }, 'index.c': [1] })).toEqual({ 'index.a.b': 1, 'index.c': [1] });
  expect(flatten(undefined)).toEqual({});
});

test('settings of the cluster that are in the way', () => {
  const persistent = { 'cluster.blocks.read_only': 'true', 'cluster.routing.allocation.enable': 'primaries' };
  expect(findBlocks({ persistent, transient: {} }).map(({ setting }) => setting)).toEqual(
    Object.keys(persistent),
  );
  const lifted = { 'cluster.blocks.read_only': 'false', 'cluster.routing.allocation.enable': 'all' };
  expect(findBlocks({ persistent, transient: lifted })).toEqual([]);
});

test('what could not be looked at is a finding', async () => {
  const found = await look('redis', 'reach', 'do it', () => Promise.reject(new Error('away')));
  expect(found).toEqual([{ area: 'redis', check: 'reach', level: 'fail', text: 'away', advice: 'do it' }]);
  expect(renderFindings([...found, { area: 'api', check: 'readiness', ...ok('fine') }], noPaint)).toEqual([
    'fail    redis: reach                 away',
    '        -> do it',
    'ok      api: readiness               fine',
    '1 failed, 0 to look at, 1 fine',
  ]);
});
