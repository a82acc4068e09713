import { Type } from '@sinclair/typebox';
import { createBodyReader } from './body-reader';

test('of many unknown fields the first are named, each with its hint', () => {
  const read = createBodyReader(Type.Object({ target_index: Type.Optional(Type.String()) }));
  const names = Array.from({ length: 30 }, (_, i) => `target_indx${i}`);
  expect(() => read(Object.fromEntries(names.map((name) => [name, 1])))).toThrow(
    /20: unknown field \[target_indx19\] -> did you mean \[target_index\]\?;21: 10 more of the kind;$/,
  );
});
