import type { Snapshot } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import { decideBeginning } from './decide-beginning';

const linked = { checkpoint: 7, historyUuid: 'h', allocationId: 'a', primaryTerm: 3 };
const migration = { ...exampleMigration(), files: { settings: {}, originals: {}, sources: { 0: linked } } };
const record = newShardRecord(migration.key, 0, 1);
const snapshot: Snapshot = {
  pitId: 'p',
  nodeId: 'n',
  allocationId: 'a',
  primaryTerm: 3,
  indexUuid: migration.sourceUuid,
  historyUuid: 'h',
  checkpoint: 9,
  maxSeqNo: 9,
  seenMaxSeqNo: 9,
  documentCount: 5,
  openedAtMillis: 1,
};
const copied = { fromSeqNo: 0, watermark: 4, documents: 4 };

test.each([
  ['the same primary', {}, {}, 'follow'],
  ['a job that died in the first round', { copy: { ...copied, watermark: 0 }, snapshot }, {}, 'follow'],
  ['another copy as primary', {}, { allocationId: 'b' }, 'copy_over'],
  ['the same copy in another term', {}, { primaryTerm: 4 }, 'copy_over'],
  ['an older term', {}, { primaryTerm: 2 }, 'fail'],
  ['another history', {}, { historyUuid: 'other' }, 'fail'],
  ['a snapshot that was lost on the way', { sweepPending: true }, {}, 'copy'],
  ['a copy that has begun', { copy: copied }, {}, 'copy'],
] as const)('%s', (_, ofRecord, ofSnapshot, type) => {
  const found = decideBeginning(migration, { ...record, ...ofRecord }, { ...snapshot, ...ofSnapshot });
  expect(found.type).toBe(type);
});

test('a target that was there before is filled by copying', () => {
  expect(decideBeginning(exampleMigration(), record, snapshot)).toEqual({ type: 'copy' });
});
