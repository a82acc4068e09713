import { readAliasTexts } from './alias-texts';

const read = (text: string, index = 'a') => [...readAliasTexts(Buffer.from(text), index)];

test('properties are the text of the answer, whatever is in it', () => {
  const filter = '{"term":{"n":9007199254740993,"m":1.0,"k":"}\\"{","e":"é"}}';
  const properties = `{ "filter" : ${filter},"index_routing":"i" }`;
  expect(
    read(`{"a":{"settings":{"aliases":{"no":{}}},"aliases":{"x":${properties},"y \\"q\\"":{}}}}`),
  ).toEqual([
    ['x', { json: properties }],
    ['y "q"', { json: '{}' }],
  ]);
});

test('only those of the index that is asked about', () => {
  const text = '{"b":{"aliases":{"x":{}}},"a":{"aliases":{"y":{}}}}';
  expect(read(text)).toEqual([['y', { json: '{}' }]]);
  expect(read(text, 'c')).toEqual([]);
  expect(read('{"a":{"settings":{}}}')).toEqual([]);
});

test('an alias name that objects know of their own is an alias like others', () => {
  expect(read('{"a":{"aliases":{"__proto__":{},"constructor":{}}}}').map(([name]) => name)).toEqual([
    '__proto__',
    'constructor',
  ]);
});

test.each(['', '{"a":{"aliases":{"x":{"filter":', '{"a":{"aliases":{"x":1}}}', '{"a":{"aliases":{"x":{}}}'])(
  'a truncated or malformed answer proves nothing: %s',
  (text) => {
    expect(() => read(text)).toThrow();
  },
);
