import { UsageError } from '../flags';
import { parseLongOptions } from './options';

test('without options it is the long way', () => {
  expect(parseLongOptions([])).toEqual({
    documents: 20_000_000,
    sourceShards: 4,
    targetShards: 8,
    rate: 500,
    byFiles: false,
    everySeconds: 10,
    loseAt: 0,
    help: false,
  });
});

test('every option is taken', () => {
  const args = [
    '--docs',
    '500',
    '--shards',
    '2:2',
    '--rate',
    '9',
    '--files',
    '--every',
    '1',
    '--lose-at',
    '40',
  ];
  expect(parseLongOptions(args)).toMatchObject({
    documents: 500,
    sourceShards: 2,
    targetShards: 2,
    rate: 9,
    byFiles: true,
    everySeconds: 1,
    loseAt: 40,
  });
});

test.each([
  [['--lose-at', '100'], '--lose-at 100'],
  [['--rate', '0'], '--rate 0'],
  [['--every', '0'], '--every 0'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseLongOptions(args)).toThrow(UsageError);
  expect(() => parseLongOptions(args)).toThrow(reason);
});
