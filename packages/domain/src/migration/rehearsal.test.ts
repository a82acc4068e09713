import type { SetAsideDocument, ShardRecord } from '@aosc/contract';
import { newVerification } from '../verification/certificate';
import { concludeRehearsal } from './rehearsal';
import type { MigrationIn } from './transitions';

const record = {
  alias: 'a',
  phase: 'PREPARING_TARGET',
  transitionHistory: [{ phase: 'PREPARING_TARGET', startTimeMillis: 1 }],
} as unknown as MigrationIn<'PREPARING_TARGET'>;
const verified = { ...newVerification('k', 0), phase: 'done', documentsCompared: 7 } as const;
const refused: SetAsideDocument = { id: 'a', version: '1', seqNo: 5, type: 't', reason: 'r' };

const conclude = (shard: Pick<ShardRecord, 'setAside'>, parts: object = {}) =>
  concludeRehearsal(
    record,
    [shard as ShardRecord],
    { ...verified, ...parts },
    { pauseMs: undefined, nowMillis: 9 },
  );

test('a rehearsal without a difference is exact', () => {
  const { rehearsal, reason, phase } = conclude({});
  expect({ phase, rehearsal }).toMatchObject({
    phase: 'CANCELLING',
    rehearsal: { outcome: 'exact', differences: 0 },
  });
  expect(reason).toContain('7 documents were verified without a difference');
});

test('a document that was set aside after the verification is a difference', () => {
  const { rehearsal, reason } = conclude({ setAside: [refused] });
  expect(rehearsal).toMatchObject({ outcome: 'different', differences: 1 });
  expect(reason).toContain('which are set aside (1)');
});

test('a document that was set aside before the verification is counted once', () => {
  const { counts } = verified;
  const { rehearsal, reason } = conclude({ setAside: [refused] }, { counts: { ...counts, missing: 2 } });
  expect(rehearsal).toMatchObject({ outcome: 'different', differences: 2 });
  expect(reason).toContain('2 missing');
});
