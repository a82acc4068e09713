import type { RawDocument } from '@aosc/engine';
import { compareDocuments } from './compare-documents';

const document = (id: string, source: object, routing?: string): RawDocument => {
  const bytes = Buffer.from(JSON.stringify(source));
  const routingToken = routing === undefined ? undefined : JSON.stringify(routing);
  return { idToken: JSON.stringify(id), routingToken, version: '1', source: bytes, size: bytes.length };
};

test('counts what a script adds, removes and changes, by the paths of the leaves', () => {
  const before = [
    document('1', { a: { b: 1 }, c: 1 }),
    document('2', { a: { b: 1 } }),
    document('3', { a: 1 }),
  ];
  const after = [document('1', { a: { b: 2 }, d: [] }), document('2', { a: { b: 1 } })];
  const effect = compareDocuments(before, [
    ...after.map((one) => ({ document: { ...one, origin: one } })),
    { failure: { type: 'script_exception', reason: 'no' } },
  ]);
  expect(effect).toEqual({
    changed: 1,
    unchanged: 1,
    renamed: 0,
    collisions: [],
    fields: [
      { field: 'a.b', added: 0, removed: 0, changed: 1 },
      { field: 'c', added: 0, removed: 1, changed: 0 },
      { field: 'd', added: 1, removed: 0, changed: 0 },
    ],
  });
});

test('another routing is another document; two documents of one id collide', () => {
  const before = [document('1', {}), document('2', {}), document('3', {})];
  const after = [document('1', {}, 'r'), document('x', {}), document('x', {})];
  const results = after.map((one) => ({ document: { ...one, origin: one } }));
  expect(compareDocuments(before, results)).toMatchObject({ renamed: 3, collisions: ['"x"'] });
});
