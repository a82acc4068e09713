import type { ShardPhase, ShardRecord } from '@aosc/contract';
import { newShardRecord } from '../shard/new-shard';
import { findWaitingReason } from './waiting';

function createShard(phase: ShardPhase, owner?: string): ShardRecord {
  const record = newShardRecord('k', 0, 0);
  return { ...record, phase, writer: { ...record.writer, ...(owner === undefined ? {} : { owner }) } };
}

test('without any worker it waits for one, in whatever phase its shards are', () => {
  const without = { workers: 0, permits: 2 };
  expect(findWaitingReason([createShard('PENDING')], without)).toBe('worker');
  expect(findWaitingReason([createShard('BACKFILLING', 'dead')], without)).toBe('worker');
  expect(findWaitingReason([createShard('COMPLETED'), createShard('CATCHING_UP')], without)).toBe('worker');
});

test('with nothing left to do it waits for nobody', () => {
  expect(findWaitingReason([createShard('COMPLETED')], { workers: 0, permits: 0 })).toBeUndefined();
});

test('with permits at 0 it waits for one, unless a shard still has one', () => {
  const paused = { workers: 1, permits: 0 };
  expect(findWaitingReason([createShard('PENDING'), createShard('CONVERGED')], paused)).toBe('permit');
  expect(
    findWaitingReason([createShard('PENDING'), createShard('BACKFILLING', 'one')], paused),
  ).toBeUndefined();
  expect(findWaitingReason([createShard('CONVERGED')], paused)).toBeUndefined();
});

test('with workers and permits it waits for its own work alone', () => {
  expect(findWaitingReason([createShard('PENDING')], { workers: 1, permits: 1 })).toBeUndefined();
});
