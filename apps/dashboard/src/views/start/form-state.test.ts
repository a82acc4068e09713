import { emptyForm, readForm } from './form-state';

const schemas = new Map([
  ['doc_count_tolerance', { type: 'integer' }],
  ['accept', { type: 'boolean' }],
  ['validation_query', { type: 'object' }],
]);
const read = (parts: Partial<typeof emptyForm>) => readForm({ ...emptyForm, ...parts }, schemas);

test('an empty form is an empty body', () => {
  expect(read({})).toEqual({ body: {}, errors: [] });
});

test('texts become what their schema says', () => {
  const options = new Map([
    ['doc_count_tolerance', '5'],
    ['accept', 'true'],
    ['validation_query', '{"match_all":{}}'],
  ]);
  expect(read({ target: ' b ', alias: 'c', options })).toEqual({
    body: {
      target_index: 'b',
      alias: 'c',
      options: { doc_count_tolerance: 5, accept: true, validation_query: { match_all: {} } },
    },
    errors: [],
  });
});

test('a number that is none goes on as it is, for the schema to judge; JSON that is none can not', () => {
  const options = new Map([
    ['doc_count_tolerance', 'many'],
    ['validation_query', '{'],
    ['accept', '  '],
  ]);
  expect(read({ options })).toEqual({
    body: { options: { doc_count_tolerance: 'many' } },
    errors: [{ field: 'options.validation_query', message: 'is not JSON' }],
  });
});

test('a script comes with its parameters', () => {
  expect(read({ script: 'x', scriptParams: '{"a":1}' }).body).toEqual({
    transform_script: { type: 'inline', source: 'x', params: { a: 1 } },
  });
  expect(read({ script: 'x', scriptParams: '[1]' }).errors).toEqual([
    { field: 'transform_script.params', message: 'is not a JSON object' },
  ]);
  expect(read({ scriptParams: '{"a":1}' }).body).toEqual({});
});

test('a decimal that JavaScript would make an integer of is told, one that stays is not', () => {
  const errorsOf = (scriptParams: string) =>
    read({ script: 'x', scriptParams }).errors.map(({ message }) => message);
  expect(errorsOf('{"a":[1,{"b":2.0}]}')).toEqual([expect.stringContaining('2.0')]);
  expect(errorsOf('{"a":1e3}')).toEqual([expect.stringContaining('1e3')]);
  expect(errorsOf('{"a":1.19,"2.0":"2.0","b":"\\"2.0"}')).toEqual([]);
});
