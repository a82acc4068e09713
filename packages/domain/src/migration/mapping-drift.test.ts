import { findDrift, markDifferences, readFields } from './mapping-drift';

const text = { type: 'text' };
const keyword = { type: 'keyword' };
const mapping = (properties: Readonly<Record<string, unknown>>, more: object = {}) =>
  readFields({ ...more, properties });

test('a mapping is taken apart into its fields, sub-fields and objects, whatever the order of keys', () => {
  const fields = readFields({
    dynamic: 'strict',
    _meta: { by: 'hand' },
    properties: {
      name: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 9 } } },
      place: { enabled: false, properties: { zip: { ignore_above: 9, type: 'keyword' } } },
    },
  });
  expect([...fields]).toEqual([
    ['(root)', '{"dynamic":"strict"}'],
    ['name', '{"type":"text"}'],
    ['name.raw', '{"ignore_above":9,"type":"keyword"}'],
    ['place', '{"enabled":false}'],
    ['place.zip', '{"ignore_above":9,"type":"keyword"}'],
  ]);
});

test('differences of the start are no drift, until either side changes the field again', () => {
  const source = mapping({ age: text });
  const target = mapping({ age: keyword });
  const marks = markDifferences(source, target);
  expect(findDrift(source, target, marks, true)).toEqual([]);
  const changed = mapping({ age: { ...text, fields: { raw: keyword } } });
  expect(findDrift(changed, target, marks, true)).toEqual([
    { field: 'age.raw', source: '{"type":"keyword"}' },
  ]);
  const other = mapping({ age: { type: 'long' } });
  expect(findDrift(source, other, marks, true)).toMatchObject([{ field: 'age', target: '{"type":"long"}' }]);
});

test('a new field is drift where the target maps it otherwise, and where it lacks it once documents are there', () => {
  const marks = markDifferences(mapping({}), mapping({}));
  const source = mapping({ sku: keyword, same: text });
  expect(findDrift(source, mapping({ sku: text, same: text }), marks, false)).toEqual([
    { field: 'sku', source: '{"type":"keyword"}', target: '{"type":"text"}' },
  ]);
  expect(findDrift(source, mapping({ same: text }), marks, false)).toEqual([]);
  expect(findDrift(source, mapping({ same: text }), marks, true)).toEqual([
    { field: 'sku', source: '{"type":"keyword"}' },
  ]);
});

test('a field that the target lacked at the start is drift once the copy gives it another type', () => {
  const source = mapping({ sku: keyword });
  const marks = markDifferences(source, mapping({}));
  expect(findDrift(source, mapping({}), marks, true)).toEqual([]);
  expect(findDrift(source, mapping({ sku: text }), marks, true)).toHaveLength(1);
});

test('what the mapping says as a whole is compared as well, and long texts are shortened', () => {
  const source = readFields({ dynamic_templates: [{ long: { match: 'x'.repeat(500), mapping: keyword } }] });
  const [drift] = findDrift(source, mapping({}), [], true);
  expect(drift?.field).toBe('(root)');
  expect(drift?.source).toHaveLength(201);
});
