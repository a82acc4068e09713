import { createOpenApiDocument } from '@aosc/contract';
import { checkSchema, type Schema } from './check-schema';
import { readApiDocument } from './openapi-document';

const check = (value: unknown, schema: Schema) =>
  checkSchema(value, schema, () => undefined).map(({ path, message }) =>
    `${path.join('.')} ${message}`.trim(),
  );

test.each<[unknown, Schema, string[]]>([
  [5, { type: 'integer', minimum: 1, maximum: 10 }, []],
  [5.5, { type: 'integer' }, ['must be an integer']],
  [0, { type: 'integer', minimum: 1 }, ['must be at least 1']],
  [11, { type: 'integer', maximum: 10 }, ['must be at most 10']],
  [null, { type: ['string', 'null'] }, []],
  ['x', { enum: ['a', 'b'] }, ['must be one of a, b']],
  [[1, 'a'], { type: 'array', items: { type: 'number' } }, ['1 must be a number']],
  [{}, { type: 'object', required: ['a'] }, ['a is required']],
  [{ b: 1 }, { type: 'object', properties: {}, additionalProperties: false }, ['b is not known']],
  [{ b: 1 }, { type: 'object', additionalProperties: { type: 'string' } }, ['b must be a string']],
  [1, { anyOf: [{ type: 'string' }, { type: 'null' }] }, ['fits none of the shapes it may have']],
  [{ toString: 1 }, { type: 'object', properties: {} }, []],
])('%j against %j', (value, schema, problems) => {
  expect(check(value, schema)).toEqual(problems);
});

describe("the API's own document", () => {
  const document = readApiDocument(createOpenApiDocument());
  const place = { method: 'post', path: '/_plugins/_aosc/{index}/_start' } as const;

  test('judges a request by the schemas that the server has', () => {
    expect(document.checkRequest(place, { target_index: 'b', alias: 'c' })).toEqual([]);
    const body = { alias: 'c', options: { convergence_threshold_per_shard: 2_000_000, nonsense: 1 } };
    expect(document.checkRequest(place, body).map(({ path, message }) => [path.join('.'), message])).toEqual(
      expect.arrayContaining([
        ['target_index', 'is required'],
        ['options.convergence_threshold_per_shard', 'must be at most 1000000'],
        ['options.nonsense', 'is not known'],
      ]),
    );
  });

  test('judges an answer', () => {
    expect(document.checkAnswer(place, 200, { migration_id: 'a', accepted: true })).toEqual([]);
    expect(document.checkAnswer(place, 200, { accepted: 1 })).toHaveLength(2);
    expect(document.checkAnswer(place, 299, 'anything')).toEqual([]);
  });
});

test('a schema that names itself ends with the value', () => {
  const tree: Schema = { type: 'object', additionalProperties: { $ref: 'tree' } };
  expect(checkSchema({ a: { b: { c: {} } } }, tree, () => tree)).toEqual([]);
  expect(checkSchema({ a: { b: 1 } }, tree, () => tree)).toHaveLength(1);
});
