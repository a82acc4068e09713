import { serializeError } from './serialize-error';

test('name, message and the chain of causes, with kind and code where there are some', () => {
  const root = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const middle = Object.assign(new TypeError('no answer', { cause: root }), { kind: 'transient' });
  expect(serializeError(new Error('shard failed', { cause: middle }))).toEqual({
    name: 'Error',
    message: 'shard failed',
    stack: expect.stringContaining('shard failed') as string,
    cause: {
      name: 'TypeError',
      message: 'no answer',
      kind: 'transient',
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    },
  });
});

test('a chain that leads back to itself is cut', () => {
  const error = new Error('a');
  error.cause = error;
  expect(JSON.stringify(serializeError(error)).match(/"message":"a"/g)).toHaveLength(5);
});

test('the errors of an aggregate are listed', () => {
  const error = new AggregateError([new Error('x'), new Error('y')], 'both failed');
  expect(serializeError(error).errors?.map(({ message }) => message)).toEqual(['x', 'y']);
});

test.each([
  ['text', { name: 'string', message: 'text' }],
  [undefined, { name: 'undefined', message: 'undefined' }],
  [{ a: 1 }, { name: 'object', message: '{"a":1}' }],
])('%p was thrown although it is no error', (thrown, serialized) => {
  expect(serializeError(thrown)).toEqual(serialized);
});
