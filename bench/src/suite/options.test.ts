import { UsageError } from '../flags';
import { caseNames, parseSuiteOptions, suiteUsage } from './options';

test('without options every case is measured in three rounds', () => {
  expect(parseSuiteOptions([])).toEqual({
    only: caseNames,
    short: false,
    rounds: 3,
    documents: undefined,
    help: false,
  });
});

test('the short form has fewer cases and one round, unless it is told otherwise', () => {
  expect(parseSuiteOptions(['--short'])).toMatchObject({
    only: ['orders', 'cities', 'transform'],
    short: true,
    rounds: 1,
  });
  expect(parseSuiteOptions(['--short', '--only', 'large', '--rounds', '2'])).toMatchObject({
    only: ['large'],
    short: true,
    rounds: 2,
  });
});

test('cases are measured once each, in their own order', () => {
  expect(parseSuiteOptions(['--only', 'updated, orders,orders']).only).toEqual(['orders', 'updated']);
});

test('every option is taken', () => {
  expect(parseSuiteOptions(['--docs', '500', '--help'])).toMatchObject({ documents: 500, help: true });
});

test('the usage names every case', () => {
  for (const name of caseNames) expect(suiteUsage).toContain(name);
});

test.each([
  [['--only', 'orders,nothing'], 'no case "nothing"'],
  [['--only', ''], 'no case ""'],
  [['--rounds', '0'], '--rounds 0'],
  [['--docs', '1e3'], '--docs 1e3'],
  [['--size', '3'], '--size'],
])('%j is refused with its reason', (args, reason) => {
  expect(() => parseSuiteOptions(args)).toThrow(UsageError);
  expect(() => parseSuiteOptions(args)).toThrow(reason);
});
