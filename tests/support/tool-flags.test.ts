import {
  choice,
  describeFlags,
  given,
  readFlags,
  readSeeds,
  seedFlags,
  text,
  texts,
  whole,
} from './tool-flags';

const flags = {
  ...seedFlags,
  minutes: whole('how long', 1, 20),
  ground: choice('GROUND', ['plain', 'zones'], 'on this cluster'),
  only: texts('PATTERN', 'may be given again'),
  from: text('PATTERN', 'begins there', '*'),
  again: given('also what has passed'),
};
const read = (...args: readonly string[]) => readFlags(flags, args);

test('flags that are left out have their defaults', () => {
  expect(read()).toEqual({ minutes: 20, only: [], from: '*', again: false });
  const { first, runs } = readSeeds(read());
  expect(runs).toBe(20);
  expect(first).toBeGreaterThan(0);
});

test('flags that are given have their types, and a seed alone is one run', () => {
  const values = read(
    '--seed',
    '7',
    '--minutes=3',
    '--only',
    'a',
    '--only',
    'b',
    '--again',
    '--ground=zones',
  );
  expect(values).toMatchObject({ minutes: 3, only: ['a', 'b'], again: true, ground: 'zones' });
  expect(readSeeds(values)).toEqual({ first: 7, runs: 1 });
  expect(readSeeds(read('--seed', '7', '--runs', '3'))).toEqual({ first: 7, runs: 3 });
});

test.each([
  [['--minutes', '0'], '--minutes 0: expected a whole number from 1'],
  [['--minutes', '1e3'], '--minutes 1e3: expected'],
  [['--minutes'], "'--minutes <value>' argument missing"],
  [['--ground', 'planes'], '--ground planes: expected plain, zones'],
  [['--agian'], "Unknown option '--agian'"],
  [['--again=yes'], 'does not take an argument'],
])('%j is refused', (args, reason) => {
  expect(() => read(...args)).toThrow(reason);
});

test('the help has a line for each flag', () => {
  const help = describeFlags({ minutes: flags.minutes, ground: flags.ground, again: flags.again });
  expect(help.split('\n')).toEqual([
    '  --minutes N       how long (default 20)',
    '  --ground GROUND   on this cluster: plain, zones',
    '  --again           also what has passed',
  ]);
});
