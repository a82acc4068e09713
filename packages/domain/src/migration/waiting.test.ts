import type { ShardPhase, ShardRecord, Wait } from '@aosc/contract';
import { newShardRecord } from '../shard/new-shard';
import { findRefusal, findWaiting, findWaitingReason, replaceWait, shownWaiting } from './waiting';

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

test('with nothing left to do it waits for no worker', () => {
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

test('with workers and permits it waits only for its own work', () => {
  expect(findWaitingReason([createShard('PENDING')], { workers: 1, permits: 1 })).toBeUndefined();
});

describe('the list of what a migration waits for', () => {
  const worker: Wait = { reason: 'worker', sinceMillis: 3 };
  const target: Wait = { reason: 'target', sinceMillis: 1, text: 'not GREEN' };
  const gap: Wait = { reason: 'gap', sinceMillis: 2 };
  const cluster: Wait = { reason: 'cluster', sinceMillis: 4, text: 'too many scripts' };
  const refused: Wait = { reason: 'refused', text: 'no privilege' };

  test('each finder has one place in it, whatever was found first', () => {
    const waits = replaceWait(replaceWait([refused], 'cutover', target), 'owners', worker);
    expect(waits).toEqual([worker, target, refused]);
    expect(replaceWait(waits, 'cutover', gap)).toEqual([worker, gap, refused]);
    expect(replaceWait(waits, 'owners', undefined)).toEqual([target, refused]);
  });

  test('the want of a worker is shown before all else; what is refused is shown beside it', () => {
    const waits = [worker, target, refused];
    expect(shownWaiting({ waits })).toBe(worker);
    expect(shownWaiting({ waits: [target, refused] })).toBe(target);
    expect(shownWaiting({ waits: [refused] })).toBeUndefined();
    expect(shownWaiting({ waits: [target, cluster] })).toBe(cluster);
    expect(findRefusal({ waits: [cluster] })).toBeUndefined();
    expect(replaceWait([refused], 'steps', cluster)).toEqual([cluster]);
    expect(findWaiting({ waits }, 'cutover')).toBe(target);
    expect(findRefusal({ waits })).toBe('no privilege');
    expect(findRefusal({ waits: [worker] })).toBeUndefined();
  });
});
