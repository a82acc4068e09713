import { findForbiddenQuery } from './permitted-query';
import { countWords } from './word-budget';

const words = (count: number): string => Array.from({ length: count }, (_, n) => String(n % 10)).join(' ');
const all = (count: number, query: object) => ({
  bool: { should: Array.from({ length: count }, () => query) },
});
const phrase = (count: number, slop?: unknown) => ({
  match_phrase: { title: { query: words(count), ...(slop !== undefined && { slop }) } },
});
const prefixed = (count: number, slop: number) => ({
  match_phrase_prefix: { title: { query: words(count), slop } },
});
const inFields = (count: number, fields: number, more: object) => ({
  multi_match: {
    query: words(count),
    fields: Array.from({ length: fields }, (_, n) => `f${n}`),
    ...more,
  },
});
const wildcard = (length: number) => ({ wildcard: { a: `${'x'.repeat(length - 1)}*` } });
const sloppy = 'more than 64 words in all phrases with a slop';
const exact = 'more than 1024 words in all phrases';
const patterns = 'more than 1024 characters in all patterns';

test.each<[object, string | undefined]>([
  [phrase(64, 1), undefined],
  [phrase(65, 1), sloppy],
  [phrase(65, '1'), sloppy],
  [phrase(65, 0.5), sloppy],
  [phrase(65, 0), undefined],
  [phrase(65), undefined],
  [all(8, phrase(8, 2)), undefined],
  [all(9, phrase(8, 2)), sloppy],
  [all(2, prefixed(33, 2)), sloppy],
  [inFields(8, 8, { type: 'phrase', slop: 2 }), undefined],
  [inFields(8, 9, { type: 'phrase', slop: 2 }), sloppy],
  [inFields(8, 9, { type: 'phrase_prefix', slop: 2 }), sloppy],
  [inFields(8, 9, { slop: 2 }), undefined],
  [all(2, phrase(512)), undefined],
  [all(3, phrase(512)), exact],
  [all(3, { match_phrase: { title: words(512) } }), exact],
  [inFields(16, 65, { type: 'phrase' }), exact],
  [all(4, wildcard(256)), undefined],
  [all(5, wildcard(256)), patterns],
  [all(5, { prefix: { a: { value: 'x'.repeat(256), case_insensitive: true } } }), patterns],
  [all(5, { fuzzy: { a: 'x'.repeat(256) } }), patterns],
  [all(103, { fuzzy: { a: 1_234_567_890 } }), patterns],
  [all(5, { term: { a: { value: 'x'.repeat(256), case_insensitive: true } } }), patterns],
  [all(5, { term: { a: { case_insensitive: 'true', value: 'x'.repeat(256) } } }), patterns],
  [all(5, { term: { a: { value: 'x'.repeat(256), case_insensitive: false } } }), undefined],
  [all(5, { term: { a: 'x'.repeat(256) } }), undefined],
])('what is multiplied is bounded over the whole query: case %#', (query, problem) => {
  const found = findForbiddenQuery({ ...query });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test.each([
  ['', 0],
  ['a few words', 3],
  ['one.two-three', 3],
  ['a1b2', 4],
  ['naïve Übergröße', 2],
  ['日本語', 3],
  ['a , b', 3],
  ['a, b.', 2],
  ['👍👍', 2],
  [12, 1],
])('%j has at most so many words: %d', (text, count) => {
  expect(countWords(text)).toBe(count);
});
