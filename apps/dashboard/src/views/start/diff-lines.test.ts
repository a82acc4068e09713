import { diffLines } from './diff-lines';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const show = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => `${marks[kind]}${text}`);

test.each<[string, string, string[]]>([
  ['a\nb', 'a\nb', [' a', ' b']],
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a', 'a\nb', [' a', '+b']],
  ['a\nb', 'b', ['-a', ' b']],
  ['', '', [' ']],
])('%j to %j', (before, after, lines) => {
  expect(show(before, after)).toEqual(lines);
});

test('long texts are shown one after the other', () => {
  const long = Array.from({ length: 500 }, (_, n) => String(n)).join('\n');
  expect(show(long, 'x')).toHaveLength(501);
});
