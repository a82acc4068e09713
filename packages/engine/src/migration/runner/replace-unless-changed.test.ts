import type { MigrationRecord } from '@aosc/contract';
import { ClusterError } from '../../ports/cluster-error';
import type { Stored } from '../../ports/store-port';
import { createMigration } from './__tests__/clear-bench';
import { replaceUnlessChanged } from './replace-unless-changed';

const before = createMigration({ phase: 'COMPLETING' });
const after = createMigration({ phase: 'COMPLETING', commitRequested: true });

/** A record that others write: `intruders` do so one by one, each right before a write of ours. */
function createScene(...intruders: readonly MigrationRecord[]) {
  let stored: Stored<MigrationRecord> = { record: before, seqNo: 0, primaryTerm: 1 };
  const left = [...intruders];
  const put = (record: MigrationRecord): Stored<MigrationRecord> => {
    stored = { record, seqNo: stored.seqNo + 1, primaryTerm: 1 };
    return stored;
  };
  const context = {
    signal: new AbortController().signal,
    assertMandate: () => undefined,
    store: {
      readMigration: () => Promise.resolve(stored),
      replaceMigration(found: Stored<MigrationRecord>, record: MigrationRecord) {
        const intruder = left.shift();
        // As it comes from the cluster: equal, and not the same.
        if (intruder !== undefined) put(JSON.parse(JSON.stringify(intruder)) as MigrationRecord);
        return found.seqNo === stored.seqNo
          ? Promise.resolve(put(record))
          : Promise.reject(new ClusterError('conflict', 'somebody was faster'));
      },
    },
  } as unknown as Parameters<typeof replaceUnlessChanged>[0];
  return { context, first: stored, now: () => stored.record };
}

test('what was decided holds where others have only confirmed the record', async () => {
  const { context, first, now } = createScene(before, before);
  expect((await replaceUnlessChanged(context, first, after))?.record).toEqual(after);
  expect(now()).toEqual(after);
});

test('a cancel that came meanwhile stays', async () => {
  const cancelled = createMigration({ phase: 'CANCELLING' });
  const { context, first, now } = createScene(before, cancelled);
  expect(await replaceUnlessChanged(context, first, after)).toBeUndefined();
  expect(now()).toEqual(cancelled);
});

test('it gives up where others write again and again', async () => {
  const { context, first, now } = createScene(...Array<MigrationRecord>(10).fill(before));
  expect(await replaceUnlessChanged(context, first, after)).toBeUndefined();
  expect(now()).toEqual(before);
});
