import { readFlags, UsageError } from './flags';

test('without flags: one node, one worker, the usual port', () => {
  expect(readFlags([], {})).toEqual({ nodes: 1, workers: 1, apiPort: 9650 });
});

test('flags and AOSC_API_PORT win', () => {
  expect(readFlags(['--nodes', '2', '--workers=0'], { AOSC_API_PORT: '8080' })).toEqual({
    nodes: 2,
    workers: 0,
    apiPort: 8080,
  });
});

test.each([
  [['--nodes', '0'], '--nodes must be a number from 1 to 9, not 0'],
  [['--workers', 'two'], '--workers must be a number from 0 to 64, not two'],
  [['--nodse', '2'], "Unknown option '--nodse'"],
  [['two'], "Unexpected argument 'two'"],
])('%j is refused', (args, message) => {
  expect(() => readFlags(args, {})).toThrow(UsageError);
  expect(() => readFlags(args, {})).toThrow(message);
});

test('--help asks for the usage', () => {
  expect(readFlags(['--help'], {})).toBeUndefined();
});
