import { bar, fit, formatBytes, formatSeconds, group, plain, table, toJson } from './text';

test.each([
  [0, '0s'],
  [0.2, '0s'],
  [24.63, '24s'],
  [59, '59s'],
  [60, '1m'],
  [61, '1m 1s'],
  [3600, '1h'],
  [93_784, '1d 2h'],
  [-5, '0s'],
])('%d seconds', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1_536_000, '1.5 MB'],
  [99_600_000, '100 MB'],
  [999_600, '1.0 MB'],
  [5e15, '5000 TB'],
])('%d bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test('a bar stays within its width', () => {
  expect([bar(0, 4), bar(0.5, 4), bar(1, 4), bar(7, 4), bar(-1, 4)]).toEqual([
    '----',
    '##--',
    '####',
    '####',
    '----',
  ]);
});

test('cuts by characters, with a mark', () => {
  expect([fit('abc', 3), fit('abcd', 3), fit('😀😀😀', 2)]).toEqual(['abc', 'ab~', '😀~']);
});

test('numbers in groups', () => expect(group(1_234_567.4)).toBe('1,234,567'));

test('columns', () => {
  expect(
    table([
      ['a', 'bb', 'c'],
      ['aaa', 'b', ''],
    ]),
  ).toEqual(['a    bb  c', 'aaa  b']);
});

test('control characters are made visible', () => {
  expect(plain('a\u0000\u001b\u0085\u2028b\r\nc')).toBe('a\\u0000\\u001b\\u0085\\u2028b c');
  expect(toJson({ a: '\u009b\u001b' })).toBe('{"a":"\\u009b\\u001b"}');
  expect(JSON.parse(toJson({ a: '\u009b\u2028' }))).toEqual({ a: '\u009b\u2028' });
});
