import { Type } from '@sinclair/typebox';
import { compileParsers, createParser, ShapeError } from './parse';

const shape = Type.Object({ count: Type.Integer() });

test.each(['with the first data', 'at the start'])(
  'a schema that is compiled %s lets the same in',
  (when) => {
    const parse = createParser('answer', shape);
    if (when === 'at the start') compileParsers();
    expect(parse({ count: 1 })).toEqual({ count: 1 });
    expect(() => parse({ count: 'many' })).toThrow(ShapeError);
    expect(() => parse({ count: 'many' })).toThrow('answer has an unexpected shape: /count must be integer');
  },
);

test('a schema that can not be compiled is found at the start', () => {
  const parse = createParser('answer', Type.Unsafe<string>({ type: 'no such type' }));
  expect(() => compileParsers()).toThrow(/type must be|data\/type/);
  expect(() => parse('text')).toThrow(/type must be|data\/type/);
});
