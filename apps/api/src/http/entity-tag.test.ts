import { matchesTag } from './entity-tag';

test.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b,c", W/"a"', true],
  ['"b,a"', false],
  ['*', true],
  [' * ', true],
  ['W/"b"', false],
  ['"A"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match: %s', (header, matches) => {
  expect(matchesTag(header, 'W/"a"')).toBe(matches);
});
