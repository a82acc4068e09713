import { findNumberProblems, findQueryProblems } from './query-problems';

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

test.each(['1e400', '-1e400', '9007199254740993', '1e17'])(
  '%s is refused: it can not be passed on exactly',
  (number) => {
    const query: unknown = JSON.parse(`{"range":{"n":{"gt":${number}}}}`);
    expect(findQueryProblems(query)).toEqual([
      expect.stringContaining(
        "validation_query holds a number at [range.n.gt] that can't be passed on exactly",
      ),
    ]);
  },
);

test.each(['9007199254740991', '1.5', '-0', '1e-400', '123456.789e10'])('%s is passed on', (number) => {
  const params: unknown = JSON.parse(`{"a":[${number}]}`);
  expect(findNumberProblems('transform_script.params', params)).toEqual([]);
});
