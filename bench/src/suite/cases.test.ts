import { countCities } from '@aosc/testkit';
import { isCopyCase, planCopy } from './cases';
import { caseNames, parseSuiteOptions } from './options';

const copies = caseNames.filter(isCopyCase);

test('a case is a copy, or one of those that applications are part of', () => {
  expect(caseNames.filter((name) => !isCopyCase(name))).toEqual(['sustained', 'applications']);
});

test.each(copies)('%s: the short form is smaller, and a number that is given counts for both', (name) => {
  const full = planCopy(name, parseSuiteOptions([]));
  const short = planCopy(name, parseSuiteOptions(['--short']));
  expect(short.documents).toBeLessThan(full.documents / 2);
  expect({ ...short, documents: full.documents }).toEqual(full);
  for (const args of [
    ['--docs', '7'],
    ['--docs', '7', '--short'],
  ]) {
    expect(planCopy(name, parseSuiteOptions(args)).documents).toBe(7);
  }
});

test('all cities are copied', () => {
  expect(planCopy('cities', parseSuiteOptions([])).documents).toBe(countCities());
});
