import { UsageError } from '../flags';
import { parseFleetOptions } from './options';

test('points are measured in the order in which they are given', () => {
  const { points } = parseFleetOptions(['--points', '10x20, 1x5']);
  expect(points).toEqual([
    { migrations: 10, shards: 20 },
    { migrations: 1, shards: 5 },
  ]);
});

test('without options there are several points, and nothing is recorded before', () => {
  const { points, ...rest } = parseFleetOptions([]);
  expect(points.length).toBeGreaterThan(3);
  expect(rest).toEqual({ recorded: 0, documentsPerShard: 10, heapMb: 6144, help: false });
});

test.each([
  [['--points', '10'], '10: expected migrations and shards'],
  [['--points', '10x20x3'], '10x20x3: expected migrations and shards'],
  [['--points', '0x20'], '--points 0'],
  [['--points', '10xa'], '--points a'],
  [['--heap', '12'], '--heap 12'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseFleetOptions(args)).toThrow(UsageError);
  expect(() => parseFleetOptions(args)).toThrow(reason);
});
