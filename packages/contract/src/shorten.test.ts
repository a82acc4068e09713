import { AoscError, quoteValue, shorten, toErrorBody } from '.';

test('a long text loses its end', () => {
  expect(shorten('a'.repeat(256))).toBe('a'.repeat(256));
  expect(shorten('a'.repeat(257))).toBe(`${'a'.repeat(256)}…`);
  expect(shorten('abc', 2)).toBe('ab…');
});

test.each([
  [Infinity, 'Infinity'],
  [-0, '0'],
  ['a"b', '"a\\"b"'],
  [{ a: [null] }, '{"a":[null]}'],
])('%p is quoted as %s', (value, text) => {
  expect(quoteValue(value)).toBe(text);
});

test('whatever a reason quotes, the answer stays small', () => {
  const body = toErrorBody(new AoscError('illegal_argument', 'x'.repeat(2 ** 20)));
  expect(JSON.stringify(body).length).toBeLessThan(20_000);
});
