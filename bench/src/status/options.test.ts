import { UsageError } from '../flags';
import { parseStatusOptions } from './options';

test('without options it is the size that the goal is set for', () => {
  expect(parseStatusOptions([])).toEqual({
    documents: 200_000,
    sourceShards: 200,
    targetShards: 200,
    rate: 20,
    idleSeconds: 60,
    help: false,
  });
});

test('every option is taken', () => {
  const args = ['--docs', '5', '--shards', '2:4', '--rate', '1', '--idle', '3', '--help'];
  expect(parseStatusOptions(args)).toEqual({
    documents: 5,
    sourceShards: 2,
    targetShards: 4,
    rate: 1,
    idleSeconds: 3,
    help: true,
  });
});

test.each([
  [['--rate', '0'], '--rate 0'],
  // the API's own limit for one address is 100
  [['--rate', '91'], '--rate 91'],
  [['--idle', '-1'], '--idle'],
  [['--shards', '200:401'], '--shards 200:401'],
  [['--rounds', '3'], '--rounds'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseStatusOptions(args)).toThrow(UsageError);
  expect(() => parseStatusOptions(args)).toThrow(reason);
});
