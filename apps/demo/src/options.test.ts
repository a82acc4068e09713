import { chooseRoutingShards, isBulkShape, parseOptions, UsageError } from './options';

test('nothing given: 2:4, the whole data set, 300 operations a second', () => {
  expect(parseOptions([])).toEqual({
    sourceShards: 2,
    targetShards: 4,
    documents: undefined,
    rate: 300,
    openSearch: undefined,
    redis: undefined,
    keep: false,
    help: false,
  });
});

test('everything given', () => {
  const args = [
    '--shards',
    '3:2',
    '--docs',
    '1000',
    '--rate=50',
    '--keep',
    '--opensearch',
    'http://a',
    '--redis=b',
  ];
  expect(parseOptions(args)).toMatchObject({
    sourceShards: 3,
    targetShards: 2,
    documents: 1000,
    rate: 50,
    openSearch: 'http://a',
    redis: 'b',
    keep: true,
  });
});

test.each([
  [['--shards', '2']],
  [['--shards', '0:4']],
  [['--shards', '2:4:8']],
  [['--docs', '-1']],
  [['--docs', '1e6']],
  [['--rate', 'fast']],
  [['--rate', '0']],
  [['--doc', '5']],
  [['stray']],
])('%j is refused', (args) => {
  expect(() => parseOptions(args)).toThrow(UsageError);
});

test.each([
  [2, 4, false],
  [2, 2, false],
  [1, 8, false],
  [2, 3, true],
  [2, 6, true],
  [4, 2, true],
  [3, 2, true],
])('%i to %i shards: bulk shape %s', (source, target, bulk) => {
  expect(isBulkShape(source, target)).toBe(bulk);
});

test('routing shards are divisible by both shard counts, for every pair that may be asked for', () => {
  for (let source = 1; source <= 32; source += 1) {
    for (let target = 1; target <= 32; target += 1) {
      const routing = chooseRoutingShards(source, target);
      expect([routing % source, routing % target]).toEqual([0, 0]);
      expect(routing).toBeLessThanOrEqual(1024);
    }
  }
});
