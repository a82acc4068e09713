import { findQueryProblems } from './query-problems';

test.each([
  [{ script: { script: null } }, 'script.script'],
  [{ bool: { must: [{ match_all: {} }, { terms: { a: [1, null] } }] } }, 'bool.must.1.terms.a.1'],
  [{ match_all: null }, 'match_all'],
])('%j is refused for the null in it', (query, place) => {
  expect(findQueryProblems(query)).toEqual([
    expect.stringContaining(`validation_query must not hold null at [${place}]`),
  ]);
});

test.each([undefined, {}, { term: { a: 'null' } }, { terms: { a: [0, '', false] } }])(
  '%j is fine',
  (query) => {
    expect(findQueryProblems(query)).toEqual([]);
  },
);
