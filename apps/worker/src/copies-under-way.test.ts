import type { ShardPhase } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { PastCopy } from './copies-under-way';

const a = { key: 'a', sourceShardCount: 3 };
const b = { key: 'b', sourceShardCount: 1 };
const read = (key: string, shard: number, phase: ShardPhase, primaryTerm = 1) => ({
  record: { ...newShardRecord(key, shard, 0), phase },
  seqNo: 0,
  primaryTerm,
});
const namesOf = (past: PastCopy, ...running: (typeof a)[]) =>
  past.leftOf(running).map(({ key, shard }) => `${key}${shard}`);

test('a shard that was seen past its copy is left out from then on, and no other one', () => {
  const past = new PastCopy();
  expect(namesOf(past, a, b)).toEqual(['a0', 'a1', 'a2', 'b0']);
  expect(past.note([read('a', 0, 'PENDING'), read('a', 1, 'CONVERGING'), read('b', 0, 'BACKFILLING')])).toBe(
    true,
  );
  expect(namesOf(past, a, b)).toEqual(['a0', 'a2', 'b0']);
  past.note([read('a', 0, 'CANCELLED'), read('b', 0, 'FAILING')]);
  expect(namesOf(past, a, b)).toEqual(['a2']);
});

test('a migration that does not run any more is forgotten', () => {
  const past = new PastCopy();
  namesOf(past, a, b);
  past.note([read('a', 0, 'CONVERGED'), read('b', 0, 'CONVERGED')]);
  expect(namesOf(past, b)).toEqual([]);
  // What was read for a migration that is gone is not held either.
  past.note([read('a', 1, 'CONVERGED')]);
  expect(namesOf(past, a, b)).toEqual(['a0', 'a1', 'a2']);
});

test('what a primary before the present one has shown may be lost, so nothing is known then', () => {
  const past = new PastCopy();
  namesOf(past, a, b);
  expect(past.note([read('a', 0, 'CONVERGING'), read('a', 1, 'BACKFILLING')])).toBe(true);
  expect(past.note([read('a', 1, 'CONVERGING', 2), read('a', 2, 'PENDING')])).toBe(false);
  expect(namesOf(past, a, b)).toEqual(['a0', 'a1', 'a2', 'b0']);
  expect(past.note([read('a', 0, 'BACKFILLING'), read('a', 1, 'CONVERGING', 2)])).toBe(true);
  expect(namesOf(past, a, b)).toEqual(['a0', 'a2', 'b0']);
});
