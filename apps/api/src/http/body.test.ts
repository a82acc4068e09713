import { isNestedDeeper } from './body';

const nested = (levels: number): unknown =>
  JSON.parse('[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2));

test.each([
  ['no body', undefined, false],
  ['a text', 'text', false],
  ['null', null, false],
  ['as deep as it may be', nested(200), false],
  ['one level more', [nested(200)], true],
  ['deep in one place of many', [1, {}, [], { a: 1, b: nested(200) }], true],
  ['half a million levels', nested(500_000), true],
  ['wide and flat', Array.from({ length: 100_000 }, () => ({})), false],
])('%s', (_, value, expected) => {
  expect(isNestedDeeper(value, 200)).toBe(expected);
});
