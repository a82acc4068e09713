import { findForbiddenQuery } from './permitted-query';

const inRange = (ends: object) => ({ range: { at: ends } });
const formatted = (format: unknown) => inRange({ gte: '2020', format });

test.each([
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSXXX",
  'dd/MM/yyyy||yyyy',
  'strict_date_optional_time||epoch_millis',
  'strict_date_optional_time_nanos||epoch_second||basic_date_time_no_millis||rfc3339_lenient',
  'iso8601',
  'strictDateOptionalTime||epochMillis',
  'yyyy G',
  'EEE, d MMM yyyy HH:mm:ss Z',
  'uuuu-MM-dd[ HH[:mm]]',
  "'z' yyyy",
])('a format of dates is permitted: %s', (format) => {
  expect(findForbiddenQuery(formatted(format))).toBeUndefined();
});

test.each([
  '[z]yyyy',
  'yyyy VV',
  'yyyy v',
  'yyyy O',
  'yyyy ZZZZ',
  "''z''yyyy",
  'zzzz_zzzz',
  'strict_zzzz',
  'yyyy||MM||dd||HH||mm',
  'yyyyyyyyyy-MM',
  `yyyy'z`,
  7,
])('any other format is refused: %s', (format) => {
  expect(findForbiddenQuery(formatted(format))).toMatch(/formats of dates are permitted|must have a text/);
});

test('formats have a budget over the whole query', () => {
  const should = (clauses: number) => ({
    bool: { should: Array.from({ length: clauses }, () => formatted('yyyy-MM-dd')) },
  });
  expect(findForbiddenQuery(should(204))).toBeUndefined();
  expect(findForbiddenQuery(should(205))).toContain('more than 2048 characters in all formats of dates');
});

test.each([
  'now',
  'now-1d/d',
  'now-10000y',
  'now-5000y+60000M',
  'now-3650000d',
  '2026-11-24||+1M/d',
  'now-315360000000s',
  '2147483647y',
  'a+2147483647y',
  '2020-01-01',
  null,
  7,
])('an end of a range is permitted: %s', (end) => {
  for (const name of ['gte', 'gt', 'lte', 'lt', 'from', 'to']) {
    expect(findForbiddenQuery(inRange({ [name]: end }))).toBeUndefined();
  }
});

test.each([
  'now+2147483647y',
  'now+10001y',
  'now-9999y-1y-1y',
  'now+120000M+1y',
  'now+99999999999999999999999s',
  '2020-01-01||+2147483647y',
  '||-999999d-99999999d',
])('nothing is reckoned that leads beyond all years: %s', (end) => {
  expect(findForbiddenQuery(inRange({ gte: end }))).toContain('reckons with more than 10000 years');
});

test.each(['now+２147483647y', '2020||-1٢y', 'now-٢d'])(
  'nothing is reckoned with other digits: %s',
  (end) => {
    expect(findForbiddenQuery(inRange({ gte: end }))).toContain('digits other than 0 to 9');
  },
);
