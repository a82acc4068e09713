import { formatExact, formatPercent, formatSi } from './numbers';
import { formatAgo, formatDuration, formatExactMoment, formatMoment, formatTick } from './times';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.00k'],
  [12_345, '12.3k'],
  [999_949, '1.00M'],
  [1.5, '1.50'],
  [-2_500_000, '−2.50M'],
  [3e18, '3000P'],
])('%d is %s', (value, text) => {
  expect(formatSi(value)).toBe(text);
});

test('a unit follows the prefix', () => {
  expect(formatSi(1_500_000, 'B/s')).toBe('1.50 MB/s');
  expect(formatSi(3, 'docs/s')).toBe('3 docs/s');
  expect(formatSi(12_345, 'docs/s')).toBe('12.3k docs/s');
});

test('exact numbers have groups', () => {
  expect(formatExact(1_234_567)).toBe('1,234,567');
  expect(formatExact(12)).toBe('12');
});

test('a share is as the API has it', () => {
  expect([formatPercent(48), formatPercent(undefined)]).toEqual(['48 %', '—']);
});

test.each([
  [350, '350 ms'],
  [4_250, '4.2 s'],
  [59_999, '59 s'],
  [192_000, '3 min 12 s'],
  [7_500_000, '2 h 5 min'],
  [86_400_000, '1 d'],
  [-5, '0 ms'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('moments', () => {
  expect(formatAgo(0)).toBe('just now');
  expect(formatAgo(125_000)).toBe('2 min ago');
  expect(formatExactMoment(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(formatMoment(0, 'en-GB', 'UTC')).toBe('1 Jan 1970, 00:00:00');
});

test.each([
  [1_000, '13:20:05'],
  [60_000, '13:20'],
  [86_400_000, '1 Nov'],
])('below an axis with steps of %d ms a moment is %s', (stepMs, text) => {
  expect(formatTick(Date.UTC(2026, 10, 1, 13, 20, 5), stepMs, 'en-GB', 'UTC')).toBe(text);
});
