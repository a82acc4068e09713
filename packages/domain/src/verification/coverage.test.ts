import { newShardRecord } from '../shard/new-shard';
import { comparability, coveredSeqNo, isWholeCopy } from './coverage';

const shard = {
  ...newShardRecord('k', 0, 0),
  lastReplayedSeqNo: 90,
  snapshot: {
    pitId: 'p',
    nodeId: 'n',
    allocationId: 'a',
    primaryTerm: 1,
    indexUuid: 'i',
    historyUuid: 'h',
    checkpoint: 80,
    maxSeqNo: 80,
    seenMaxSeqNo: 80,
    documentCount: 5,
    openedAtMillis: 0,
  },
};

test('a target covers the snapshot that it was brought to', () => {
  expect(coveredSeqNo({ ...shard, phase: 'CONVERGED' })).toBe(80);
  expect(coveredSeqNo({ ...shard, phase: 'CONVERGING' })).toBe(80);
  expect(coveredSeqNo({ ...shard, phase: 'COMPLETED' })).toBe(90);
});

test('while a copy is under way, or its repair, it covers nothing', () => {
  expect(coveredSeqNo({ ...shard, phase: 'BACKFILLING' })).toBe(-1);
  expect(coveredSeqNo({ ...shard, phase: 'CONVERGED', sweepPending: true })).toBe(-1);
  const { snapshot: _lost, ...rest } = shard;
  expect(coveredSeqNo({ ...rest, phase: 'CONVERGED' })).toBe(-1);
});

test('a migration is verified between its copy and its cutover, and after the swap', () => {
  const of = (phase: Parameters<typeof comparability>[0]['phase'], targetAtSwap?: Record<string, number>) =>
    comparability({ phase, sourceIndex: 's', ...(targetAtSwap && { targetAtSwap }) });
  expect(of('ACTIVE')).toBe('now');
  expect(of('PREPARING_TARGET')).toBe('now');
  expect(of('CATCHING_UP')).toBe('later');
  expect(of('COMPLETED', { '0': 4 })).toBe('now');
  expect(of('COMPLETED')).toHaveProperty('never');
  expect(of('CANCELLED')).toHaveProperty('never');
  expect(isWholeCopy([{ phase: 'CONVERGED' }, { phase: 'COMPLETED' }])).toBe(true);
  expect(isWholeCopy([{ phase: 'CONVERGED' }, { phase: 'BACKFILLING' }])).toBe(false);
});
