import { Type } from '@sinclair/typebox';
import { fromWire, toWire } from './case';

const Schema = Type.Object({
  seq_no: Type.Integer(),
  by_name: Type.Record(Type.String(), Type.Object({ inner_key: Type.Integer() })),
  free_form: Type.Record(Type.String(), Type.Unknown()),
  rows: Type.Array(Type.Object({ end_time_millis: Type.Optional(Type.Integer()) })),
});

const wire = {
  seq_no: 1,
  by_name: { some_name: { inner_key: 2 } },
  free_form: { 'index.number_of_replicas': { deep_key: 1 } },
  rows: [{ end_time_millis: 3 }, {}],
};

test('described keys are renamed, keys of maps and of free-form objects are data and stay', () => {
  expect(fromWire(Schema, wire)).toEqual({
    seqNo: 1,
    byName: { some_name: { innerKey: 2 } },
    freeForm: { 'index.number_of_replicas': { deep_key: 1 } },
    rows: [{ endTimeMillis: 3 }, {}],
  });
});

test('toWire is the inverse of fromWire', () => {
  expect(toWire(Schema, fromWire(Schema, wire))).toEqual(wire);
});
