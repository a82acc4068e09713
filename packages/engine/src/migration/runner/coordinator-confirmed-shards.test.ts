import type { ShardRecord } from '@aosc/contract';
import { ClearBench, coordinatorOf, key } from './__tests__/clear-bench';
import { ClusterError } from '../../ports/cluster-error';
import { advanceMigration } from './coordinator';

/**
 * An end that was read is lost with its primary before it is confirmed, and the last round has been had again meanwhile. What
 * COMPLETING waits for, and counts, is of the record that stays.
 */
test('COMPLETING works on the shards that CATCHING_UP has confirmed', async () => {
  const bench = new ClearBench(
    {
      phase: 'CATCHING_UP',
      writeBlock: { requestedAtMillis: 2000, usersOwn: false, confirmed: true, lifted: false },
      finalSeqNos: { '0': 7 },
    },
    { phase: 'COMPLETING', lastReplayedSeqNo: 7, finalDocumentCount: 8 },
  );
  const { context } = bench;
  const { store } = context;
  const again: Partial<ShardRecord> = { finalDocumentCount: 9 };
  let isHadAgain = false;
  const looks: unknown[] = [];
  const coordinator = coordinatorOf(bench, {
    store: {
      ...store,
      confirmMigration: (found) => Promise.resolve(found),
      async replaceShard(before, after, call) {
        if (!isHadAgain) {
          isHadAgain = true;
          await store.replaceShard(before, { ...after, ...again }, call);
        }
        return store.replaceShard(before, after, call);
      },
    },
    onLook(record, shards) {
      looks.push([record.phase, shards.map(({ finalDocumentCount }) => finalDocumentCount)]);
      // What COMPLETING comes to is not of interest.
      if (record.phase === 'COMPLETING') throw new ClusterError('transient', 'seen enough');
    },
  });
  await expect(advanceMigration(coordinator, key)).rejects.toThrow('seen enough');
  expect(looks).toEqual([
    ['CATCHING_UP', [8]],
    ['COMPLETING', [9]],
  ]);
});
