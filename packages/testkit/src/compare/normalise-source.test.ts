import { normaliseSource } from './normalise-source';

const normalise = (text: string): string => normaliseSource(Buffer.from(text)).toString();

test('a line break between tokens equals a blank, one for one', () => {
  expect(normalise('{"a":1,\n"b":[1,\r\n2]}')).toBe('{"a":1, "b":[1,  2]}');
  expect(normalise('{"a":1,\n"b":2}')).not.toBe(normalise('{"a":1,"b":2}'));
});

test.each([
  ['an escaped line break in a string', '{"a":"\\n"}', '{"a":" "}'],
  ['another number of blanks', '{"a": 1}', '{"a":  1}'],
  ['a tab', '{"a":\t1}', '{"a": 1}'],
  ['the way a number is written', '{"a":1.0}', '{"a":1}'],
  ['the order of keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
])('%s stays a difference', (_what, one, other) => {
  expect(normalise(one)).not.toBe(normalise(other));
});

test('a lone quote in a comment does not hide the line breaks behind it', () => {
  expect(normalise('{/* " */"a":\n1}')).toBe('{/* " */"a": 1}');
});
