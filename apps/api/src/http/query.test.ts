import { readFlag } from './query';

test.each([
  [undefined, false, false],
  [undefined, true, true],
  ['', false, true],
  ['true', false, true],
  ['false', true, false],
] as const)('a flag given as %j, otherwise %s: %s', (text, otherwise, value) => {
  expect(readFlag('dry_run', text, otherwise)).toBe(value);
});

test.each(['TRUE', '0', 'no'])('[%s] is no flag: a dry run must not be lost to a slip', (text) => {
  expect(() => readFlag('dry_run', text, true)).toThrow(
    `Failed to parse value [${text}] of parameter [dry_run]`,
  );
});
