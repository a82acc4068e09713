import type { MigrationRecord } from '@aosc/contract';
import { ClearBench, createMigration, key } from './__tests__/clear-bench';
import { BlockWatch } from '../step/block-watch';
import { findOtherCluster } from './cluster-check';
import { bindIndices, type CoordinatorContext } from '../step/context';
import { advanceMigration } from './coordinator';

/** The record's cluster is `c`. */
function coordinate(bench: ClearBench, known: string, answering: string): CoordinatorContext {
  const { context } = bench;
  const here = { ...context.cluster, uuid: () => Promise.resolve(answering) };
  return {
    ...context,
    cluster: { ...context.cluster, index: (name) => ({ ...context.cluster.index(name), cluster: here }) },
    jobs: {
      ensureShardJobs: () => Promise.resolve(),
      hurryReplays: () => Promise.resolve(),
      ensureVerifyJob: () => Promise.resolve(),
      replaceShardJob: () => Promise.resolve(),
      dropShardJobs: () => Promise.resolve(),
    },
    liveness: undefined,
    blocks: new BlockWatch(context.clock),
    timing: { ...context.timing, writeBlockMaxMs: Infinity, staleAfterMs: 0 },
    clusterUuid: known,
  };
}

test.each(['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
  'a migration of another cluster that is %s ends FAILED with the reason',
  async (phase) => {
    const bench = new ClearBench({ phase });
    await advanceMigration(coordinate(bench, 'restored', 'restored'), key);
    expect(bench.record).toMatchObject({
      phase: 'FAILED',
      reason: expect.stringContaining('started in cluster [c] and this is cluster [restored]') as string,
    });
  },
);

test.each<[string, Partial<MigrationRecord>, boolean]>([
  ['being cancelled, ends as what it was', { phase: 'CANCELLING' }, false],
  ['past its swap, can only complete', { phase: 'COMPLETING', commitRequested: true, committed: true }, true],
])('one that is %s', async (_, parts, swapped) => {
  const bench = new ClearBench(parts, {}, swapped);
  await advanceMigration(coordinate(bench, 'restored', 'restored'), key).catch(() => undefined);
  expect(bench.record.phase).not.toBe('FAILED');
  expect(bench.record.reason).toBeUndefined();
});

test('the same cluster is not asked', async () => {
  const context = coordinate(new ClearBench({}), 'c', 'never asked');
  expect(await findOtherCluster(bindIndices(context, createMigration()), createMigration())).toBeUndefined();
});

test('a process whose address means another cluster now fails nothing there', async () => {
  const context = coordinate(new ClearBench({}), 'left behind', 'c');
  const bound = bindIndices(context, createMigration());
  await expect(findOtherCluster(bound, createMigration())).rejects.toMatchObject({ kind: 'transient' });
});
