import type { IndexDescription, PrimaryCheckpoint } from '../../ports/index-state-port';
import { ClusterError } from '../../ports/cluster-error';
import { createMigration } from '../runner/__tests__/clear-bench';
import { type CutoverObservation, findCutoverHazard } from './cutover-guard';

const record = createMigration({
  phase: 'COMPLETING',
  sourceShardCount: 2,
  targetShardCount: 2,
  finalSeqNos: { '0': 7, '1': -1 },
  targetHistories: { '0': 'h0', '1': 'h1' },
});

function primary(shard: number, maxSeqNo: number, historyUuid: string): PrimaryCheckpoint {
  const checkpoints = { maxSeqNo, globalCheckpoint: maxSeqNo };
  return { shard, nodeId: 'n', state: 'STARTED', copiesAnswered: 1, ...checkpoints, historyUuid };
}

const source: IndexDescription = {
  index: 'books',
  uuid: 'uuid of books',
  open: true,
  shardCount: 2,
  routingShardCount: 1024,
  routingPartitionSize: 1,
  mappingVersion: 1,
  settings: { 'index.blocks.write': 'true' },
  aliases: new Map([['library', { json: '{}' }]]),
};
const sourcePrimaries = [primary(0, 7, 's0'), primary(1, -1, 's1')];
const targetPrimaries = [primary(0, 3, 'h0'), primary(1, 4, 'h1')];
const untouched: CutoverObservation = { source, sourcePrimaries, targetPrimaries, holders: ['books'] };

test.each<[string, Partial<CutoverObservation>]>([
  ['as it was left', {}],
  ['with an alias that is nowhere: the swap makes it', { holders: [] }],
  ['with a target whose primaries have moved', { targetPrimaries: targetPrimaries.toReversed() }],
])('nothing is found %s', (_, observation) => {
  expect(findCutoverHazard(record, { ...untouched, ...observation })).toBeUndefined();
});

const unblocked = (settings: IndexDescription['settings']): IndexDescription => ({ ...source, settings });

test.each<[string, Partial<CutoverObservation>, string]>([
  ['the alias was moved', { holders: ['comics'] }, 'alias [library] points at another index'],
  ['the alias was given to another index', { holders: ['books', 'comics'] }, 'points at another index'],
  ['the alias was given to the target', { holders: ['books', 'books2'] }, 'points at another index'],
  ['the source is gone', { source: undefined }, 'Source index [books] no longer exists'],
  ['the source was made again', { source: { ...source, uuid: 'other' } }, 'no longer exists'],
  ['the block was lifted', { source: unblocked({}) }, 'was lifted by another client'],
  ['the block was set to false', { source: unblocked({ 'index.blocks.write': 'false' }) }, 'was lifted by'],
  [
    'the source was written to, and is blocked again',
    { sourcePrimaries: [primary(0, 7, 's0'), primary(1, 0, 's1')] },
    'source shard [1] was written to under the write block',
  ],
  [
    'the source has lost operations',
    { sourcePrimaries: [primary(0, 6, 's0'), primary(1, -1, 's1')] },
    'source shard [0]',
  ],
  [
    'a shard of the target has another history',
    { targetPrimaries: [primary(0, 3, 'h0'), primary(1, 4, 'other')] },
    'target shard [1] is not the one that was written to',
  ],
])('%s: there is a reason not to swap', (_, observation, reason) => {
  expect(findCutoverHazard(record, { ...untouched, ...observation })).toContain(reason);
});

test.each<[string, Partial<CutoverObservation>]>([
  ['books', { sourcePrimaries: [primary(0, 7, 's0')] }],
  ['books2', { targetPrimaries: [primary(1, 4, 'h1')] }],
])('while a primary of %s is missing it is waited for', (index, observation) => {
  const look = () => findCutoverHazard(record, { ...untouched, ...observation });
  expect(look).toThrow(new ClusterError('transient', `a primary of [${index}] is missing`));
});

test('a target that was made again is known as long as one of its primaries is there', () => {
  const remade = { ...untouched, targetPrimaries: [primary(1, 0, 'other')] };
  expect(findCutoverHazard(record, remade)).toContain('target shard [1]');
});

test('without final numbers nothing is known to stand still', () => {
  const { finalSeqNos: _none, ...rest } = record;
  expect(findCutoverHazard(rest, untouched)).toContain('source shard [0]');
});
