import type { MigrationRecord } from '@aosc/contract';
import type { StorePort } from '../../ports/store-port';
import { ClearBench, coordinatorOf, key } from './__tests__/clear-bench';
import type { CoordinatorContext } from '../step/context';
import { advanceMigration } from './coordinator';

const writeBlock = { requestedAtMillis: 2000, usersOwn: false, confirmed: true, lifted: false };
const isLifted = (record: MigrationRecord): boolean => record.writeBlock?.lifted === true;

/** A step that asks the queues for anything waits for ever. */
function withoutRedis(bench: ClearBench, writeBlockMaxMs: number): CoordinatorContext {
  return coordinatorOf(bench, { timing: { ...bench.context.timing, writeBlockMaxMs, staleAfterMs: 0 } });
}

test.each(['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
  '%s with an overdue block, driven until that is lifted: the token first, then the block, and nothing else',
  async (phase) => {
    const bench = new ClearBench({ phase, writeBlock });
    bench.bulks.push('runs for long');
    await advanceMigration(withoutRedis(bench, 1000), key, { isDone: isLifted });
    expect(bench.done).toEqual(['removed aosc-token', 'books {"index.blocks.write":null}']);
    expect(bench.record).toMatchObject({ phase: 'FAILING', tokenTaken: true, writeBlock: { lifted: true } });
    expect(bench.bulks).toHaveLength(1);
  },
);

test('a shard whose last round failed: the migration fails before the source is blocked for it', async () => {
  const bench = new ClearBench({ phase: 'CUTTING_OVER' }, { phase: 'FAILING', error: 'refused' });
  await advanceMigration(withoutRedis(bench, 1000), key, { isDone: ({ phase }) => phase === 'FAILING' });
  expect(bench.record.reason).toContain('refused');
  expect(bench.record).not.toHaveProperty('writeBlock');
  expect(bench.done).toEqual([]);
});

test('a migration that is where it was to be driven to is left as it is', async () => {
  const bench = new ClearBench({ phase: 'FAILING', writeBlock: { ...writeBlock, lifted: true } });
  await advanceMigration(withoutRedis(bench, 1000), key, { isDone: isLifted });
  expect(bench.record.phase).toBe('FAILING');
  expect(bench.done).toEqual([]);
});

test('a record that the caller has just read is not read once more, and one that was changed since is', async () => {
  const bench = new ClearBench({ phase: 'COMPLETING', writeBlock });
  const context = withoutRedis(bench, 1000);
  const known = await context.store.readMigration(key, context);
  const readMigration = jest.fn((...asked: Parameters<StorePort['readMigration']>) =>
    context.store.readMigration(...asked),
  );
  const counting = { ...context, store: { ...context.store, readMigration } };
  const isFailing = ({ phase }: MigrationRecord): boolean => phase === 'FAILING';
  await advanceMigration(counting, key, { isDone: isFailing, ...(known && { known }) });
  expect(readMigration).not.toHaveBeenCalled();

  // `known` is of before the change by now: the compare-and-set refuses it. Once to see what has changed, once for the next step.
  await advanceMigration(counting, key, { isDone: isFailing, ...(known && { known }) });
  expect(readMigration).toHaveBeenCalledTimes(2);
  expect(bench.record.phase).toBe('FAILING');
});

test('under the write block the records of the shards serve the next step as well', async () => {
  const name = 'index.final_pipeline';
  const bench = new ClearBench(
    { phase: 'CATCHING_UP', writeBlock, finalSeqNos: { 0: 7 }, targetOriginals: { [name]: 'own' } },
    { phase: 'COMPLETED', lastReplayedSeqNo: 7 },
  );
  const context = withoutRedis(bench, 60_000);
  const readShards = jest.fn((...asked: Parameters<StorePort['readShards']>) =>
    context.store.readShards(...asked),
  );
  const steps: string[] = [];
  const index: typeof context.cluster.index = (of) => {
    const ports = context.cluster.index(of);
    const describe: typeof ports.state.describe = async (call) => {
      const described = await ports.state.describe(call);
      return described && { ...described, settings: { [name]: '_none' } };
    };
    return { ...ports, state: { ...ports.state, describe } };
  };
  const counting: CoordinatorContext = {
    ...context,
    cluster: { ...context.cluster, index },
    store: { ...context.store, readShards },
    onLook: ({ phase }) => steps.push(phase),
  };
  // The bench has no primaries: the checks before the swap break off.
  await expect(advanceMigration(counting, key)).rejects.toThrow();
  expect(steps).toEqual(['CATCHING_UP', 'COMPLETING']);
  expect(readShards).toHaveBeenCalledTimes(1);
});

test('a last round up to another number than the one at which the source stands still: the alias stays', async () => {
  const bench = new ClearBench(
    { phase: 'CATCHING_UP', writeBlock, finalSeqNos: { 0: 9 } },
    { phase: 'COMPLETING', lastReplayedSeqNo: 7 },
  );
  await advanceMigration(withoutRedis(bench, 60_000), key, { isDone: ({ phase }) => phase === 'FAILING' });
  expect(bench.record.reason).toContain('shard [0] had its last round up to [7]');
});

test('once files are to be linked, each step waits until the record is acknowledged, which tells of the block', async () => {
  const bench = new ClearBench({
    phase: 'ACTIVE',
    writeBlock,
    files: { sources: {}, settings: {}, originals: {} },
  });
  const context = withoutRedis(bench, 60_000);
  const confirmMigration = jest.fn().mockRejectedValue(new Error('not acknowledged'));
  const unanswered = { ...context, store: { ...context.store, confirmMigration } };
  await expect(advanceMigration(unanswered, key)).rejects.toThrow('not acknowledged');
  expect(bench.done).toEqual([]);
});
