import { blockAlias } from '@aosc/domain';
import { examplePrimary, exampleRouting } from '@aosc/testkit';
import type { IndexRouting, PrimaryCheckpoint } from '../../ports/index-state-port';
import { key } from '../runner/__tests__/clear-bench';
import { areFinal } from './final-checkpoints';

const writeBlock = { requestedAtMillis: 1, usersOwn: false, confirmed: false, lifted: false };
const record = { key, writeBlock, sourceShardCount: 2, committed: false };
const blocked: IndexRouting = {
  ...exampleRouting([examplePrimary(0), examplePrimary(1, { nodeId: 'm' })]),
  isWriteBlocked: true,
  aliases: [blockAlias(key)],
};

function checkpoint(shard: number, parts: Partial<PrimaryCheckpoint> = {}): PrimaryCheckpoint {
  const numbers = { maxSeqNo: 7, globalCheckpoint: 7 };
  return { shard, nodeId: 'n', state: 'STARTED', copiesAnswered: 1, historyUuid: 'h', ...numbers, ...parts };
}
const both = [checkpoint(0), checkpoint(1, { nodeId: 'm' })];

test('under the block, at the last numbers, of the primaries', () => {
  expect(areFinal(record, { routing: blocked, checkpoints: both })).toBe(true);
});

test('under a hold, without a block', () => {
  const writeHold = { requestedAtMillis: 1, originals: {}, put: {}, givenBack: false };
  const { writeBlock: _none, ...held } = { ...record, writeHold };
  const open = { ...blocked, isWriteBlocked: false };
  expect(areFinal(held, { routing: open, checkpoints: both })).toBe(true);
  expect(areFinal({ ...held, writeBlock }, { routing: open, checkpoints: both })).toBe(false);
  const gone = { ...held, writeHold: { ...writeHold, givenBack: true } };
  expect(areFinal(gone, { routing: open, checkpoints: both })).toBe(false);
});

test('a block of the user has no mark of ours', () => {
  const users = { ...record, writeBlock: { ...writeBlock, usersOwn: true } };
  expect(areFinal(users, { routing: { ...blocked, aliases: [] }, checkpoints: both })).toBe(true);
});

test.each<[string, Partial<IndexRouting>]>([
  ['does not show the block', { isWriteBlocked: false }],
  ['shows a block, and not our mark', { aliases: [] }],
  ['has another primary', { primaries: [examplePrimary(0), examplePrimary(1)] }],
])('not by a view that %s', (_, parts) => {
  expect(areFinal(record, { routing: { ...blocked, ...parts }, checkpoints: both })).toBe(false);
});

test.each<[string, readonly PrimaryCheckpoint[]]>([
  ['one is missing', [checkpoint(0)]],
  ['one is being moved', [checkpoint(0), checkpoint(1, { nodeId: 'm', state: 'RELOCATING' })]],
  ['operations are in flight', [checkpoint(0), checkpoint(1, { nodeId: 'm', globalCheckpoint: 6 })]],
])('not while %s', (_, checkpoints) => {
  expect(areFinal(record, { routing: blocked, checkpoints })).toBe(false);
});
