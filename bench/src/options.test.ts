import { UsageError } from './flags';
import { parseOptions } from './options';

test('without options it is the size that the figures are quoted for', () => {
  expect(parseOptions([])).toEqual({
    documents: 1_000_000,
    rounds: 3,
    sourceShards: 4,
    targetShards: 8,
    profile: undefined,
    byFiles: false,
    isVerified: false,
    pinned: false,
    help: false,
  });
});

test('every option is taken', () => {
  const args = [
    '--docs',
    '5000',
    '--rounds',
    '1',
    '--shards',
    '2:2',
    '--profile',
    'out',
    '--files',
    '--verify',
    '--pinned',
    '--help',
  ];
  expect(parseOptions(args)).toEqual({
    documents: 5000,
    rounds: 1,
    sourceShards: 2,
    targetShards: 2,
    profile: 'out',
    byFiles: true,
    isVerified: true,
    pinned: true,
    help: true,
  });
});

test.each([
  [['--docs', '0'], '--docs 0'],
  [['--docs', '1e6'], '--docs 1e6'],
  [['--rounds', '1.5'], '--rounds 1.5'],
  [['--shards', '4'], '--shards 4'],
  [['--shards', '0:8'], '--shards 0:8'],
  [['--size', '3'], '--size'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseOptions(args)).toThrow(UsageError);
  expect(() => parseOptions(args)).toThrow(reason);
});
