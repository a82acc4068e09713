import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectSwapped, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const start = (options: PairOptions['options']) =>
  createPair(cluster, { ...guarded, shards: [1, 2], documents: someDocuments(60), options: { ...options } });

let written = 0;
async function write(harness: Harness): Promise<void> {
  const id = `new${written++}`;
  await cluster.put(harness.alias, { id }, someSource(id));
}

/** An application that writes once more in every round, after what the round has to bring was read. */
const writingInEachRound = (harness: Harness): Faults => ({
  target: {
    writes: (real) => ({
      async bulk(...args) {
        await write(harness);
        return real.bulk(...args);
      },
    }),
  },
});

describe('max_convergence_rounds_per_shard and convergence_threshold_per_shard', () => {
  test('a source that is never caught up with fails the shard at the limit', async () => {
    const harness = await start({ convergenceThresholdPerShard: 0, maxConvergenceRoundsPerShard: 2 });
    await harness.backfill();
    await write(harness);
    const end = await harness.runUntil('COMPLETED', writingInEachRound(harness));
    expect(end).toMatchObject({ phase: 'FAILED' });
    expect(end.errorMessage).toContain(
      `shard [${harness.source}][0] failed: Convergence rounds exceeded limit: 2 >= 2 (gap 1, threshold 0)`,
    );
    // The first round is the replay's and counts for itself.
    expect(await harness.shard(0)).toMatchObject({
      phase: 'FAILED',
      error: expect.stringContaining('Convergence rounds exceeded limit') as string,
      replay: { status: 'COMPLETED', rounds: 1 },
      convergence: { status: 'FAILED', rounds: 2, currentGap: 1 },
    });
    await expectUndone(cluster, harness);
  });

  test('the gap is looked at first: a limit of 1 that is reached with a gap of 0 is no failure', async () => {
    const harness = await start({ convergenceThresholdPerShard: 0, maxConvergenceRoundsPerShard: 1 });
    await harness.backfill();
    await write(harness);
    await harness.round(writingInEachRound(harness));
    expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING', replay: { currentGap: 1 } });
    await harness.round();
    expect(await harness.shard(0)).toMatchObject({
      phase: 'CONVERGED',
      convergence: { rounds: 1, currentGap: 0 },
    });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });

  test('an idle source completes with a limit of 1 and a threshold of 0', async () => {
    const harness = await start({ convergenceThresholdPerShard: 0, maxConvergenceRoundsPerShard: 1 });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });

  test('a gap of the threshold converges, one more does not', async () => {
    const harness = await start({ convergenceThresholdPerShard: 3 });
    await harness.backfill();
    await write(harness);
    const writeMany = (count: number): Faults => ({
      target: {
        writes: (real) => ({
          async bulk(...args) {
            for (let n = 0; n < count; n++) await write(harness);
            return real.bulk(...args);
          },
        }),
      },
    });
    await harness.round(writeMany(4));
    expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING', replay: { currentGap: 4 } });
    await harness.round(writeMany(3));
    expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGED', convergence: { currentGap: 3 } });
    await harness.cancel();
    await harness.runUntil('CANCELLED');
    await expectUndone(cluster, harness);
  });

  test('the largest threshold converges in the first round, and the cutover brings the rest', async () => {
    const harness = await start({ convergenceThresholdPerShard: 1_000_000, maxConvergenceRoundsPerShard: 1 });
    await harness.backfill();
    await write(harness);
    await harness.round({
      target: {
        writes: (real) => ({
          async bulk(...args) {
            for (let n = 0; n < 30; n++) await write(harness);
            return real.bulk(...args);
          },
        }),
      },
    });
    expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGED', replay: { currentGap: 30 } });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });
});

describe('doc_count_tolerance and validation_query', () => {
  /** Under the write block only the target gets these documents, and no copy has brought them. */
  async function runWithStrangers(
    options: PairOptions['options'],
    strangers: readonly string[],
  ): Promise<Harness> {
    const harness = await start(options);
    await harness.runUntil('CATCHING_UP');
    for (const [n, source] of strangers.entries()) {
      await cluster.put(harness.target, { id: `stranger${n}` }, source);
    }
    await harness.runUntil('COMPLETED');
    return harness;
  }
  const stranger = JSON.stringify({ key: 'stranger', revision: -1 });

  test.each([
    { docCountTolerance: 2, strangers: 2 },
    { docCountTolerance: 1_000_000, strangers: 3 },
  ])('$strangers within a tolerance of $docCountTolerance pass', async ({ docCountTolerance, strangers }) => {
    const harness = await runWithStrangers({ docCountTolerance }, Array<string>(strangers).fill(stranger));
    expect(await harness.record()).toMatchObject({
      phase: 'COMPLETED',
      cutoverContext: {
        sourceDocCount: 60,
        targetDocCount: 60 + strangers,
        docCountTolerance,
        docCountValidationPassed: true,
        aliasSwapSucceeded: true,
      },
    });
  });

  test.each([
    { docCountTolerance: 0, strangers: 1 },
    { docCountTolerance: 2, strangers: 3 },
  ])('$strangers beyond a tolerance of $docCountTolerance fail', async ({ docCountTolerance, strangers }) => {
    const harness = await runWithStrangers({ docCountTolerance }, Array<string>(strangers).fill(stranger));
    expect(await harness.record()).toMatchObject({
      phase: 'FAILED',
      errorMessage:
        `Doc count validation failed: source=60, target=${60 + strangers}, diff=${strangers}, ` +
        `tolerance=${docCountTolerance}`,
      cutoverContext: { docCountValidationPassed: false, aliasSwapSucceeded: false },
    });
    await expectUndone(cluster, harness);
  });

  test('a document that is missing in the target counts like one too many', async () => {
    const harness = await start({ docCountTolerance: 0 });
    await harness.runUntil('CATCHING_UP');
    await cluster.remove(harness.target, { id: 'd7' });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({
      phase: 'FAILED',
      errorMessage:
        'Doc count validation failed: source=60, target=59, diff=1, tolerance=0; documents of source shard [0] are ' +
        'missing: shards [0, 1] of the target hold 59 of 60',
    });
    await expectUndone(cluster, harness);
  });

  const others = { bool: { must_not: { term: { revision: -1 } } } };

  test('a query leaves what it does not match out of both counts', async () => {
    const harness = await runWithStrangers({ validationQuery: others }, [stranger, stranger]);
    expect(await harness.record()).toMatchObject({
      phase: 'COMPLETED',
      cutoverContext: { sourceDocCount: 60, targetDocCount: 60, docCountValidationPassed: true },
    });
  });

  test('what it matches is compared', async () => {
    const only = { term: { revision: -1 } };
    const harness = await runWithStrangers({ validationQuery: only }, [stranger]);
    expect(await harness.record()).toMatchObject({
      phase: 'FAILED',
      errorMessage: 'Doc count validation failed: source=0, target=1, diff=1, tolerance=0',
    });
    await expectUndone(cluster, harness);
  });
});
