import { differingFields, meaningOf } from './meaning';

const bytes = (text: string) => Buffer.from(text);
const means = (text: string) => meaningOf(bytes(text));

test('order of keys and blanks mean nothing', () => {
  expect(means('{ "b": [1, {"y":null}], "a": "x" }')).toBe(means('{"a":"x","b":[1,{"y":null}]}'));
});

test.each([
  ['{"a":9007199254740993}', '{"a":9007199254740992}'],
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":1}', '{"a":"n1"}'],
  ['{"a":1}', '{"a":1.0}'],
  ['{"a":null}', '{}'],
  ['{"a":[]}', '{"a":{}}'],
  ['{"a":["b,c"]}', '{"a":["b","c"]}'],
  ['{"a":true}', '{"a":"true"}'],
])('%s and %s mean different things', (one, other) => {
  expect(means(one)).not.toBe(means(other));
  expect(differingFields(bytes(one), bytes(other))).toEqual(['a']);
});

test('only fields that differ are named', () => {
  expect(differingFields(bytes('{"a":1,"b":2,"c":{"d":1}}'), bytes('{"c":{"d":2},"a":1}'))).toEqual([
    'b',
    'c',
  ]);
});

test.each(['', '{"a":1} // a comment, which OpenSearch takes'])(
  'no field is named of %j, which is no JSON: its bytes count',
  (text) => {
    expect(means(text)).toBe(text);
    expect(differingFields(bytes(text), bytes('{"a":1}'))).toEqual([]);
    expect(differingFields(bytes('{"a":1}'), bytes(text))).toEqual([]);
  },
);
