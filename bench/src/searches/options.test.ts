import { UsageError } from '../flags';
import { parseSearchesOptions } from './options';

test('without options it is the size that the figures are quoted for', () => {
  expect(parseSearchesOptions([])).toEqual({
    documents: 1_500_000,
    sourceShards: 4,
    targetShards: 8,
    rounds: 3,
    seconds: 15,
    clients: 4,
    pauseMs: 50,
    help: false,
  });
});

test('every option is taken', () => {
  const args = ['--docs', '5', '--shards', '2:4', '--rounds', '1', '--seconds', '2', '--clients', '3'];
  expect(parseSearchesOptions([...args, '--pause', '0', '--help'])).toEqual({
    documents: 5,
    sourceShards: 2,
    targetShards: 4,
    rounds: 1,
    seconds: 2,
    clients: 3,
    pauseMs: 0,
    help: true,
  });
});

test.each([
  [['--clients', '0'], '--clients 0'],
  [['--clients', '61'], '--clients 61'],
  [['--pause', '-1'], '--pause'],
  [['--seconds', '0'], '--seconds 0'],
  [['--rate', '3'], '--rate'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseSearchesOptions(args)).toThrow(UsageError);
  expect(() => parseSearchesOptions(args)).toThrow(reason);
});
