import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import {
  announced,
  beforeSwap,
  beforeSwapCall,
  blocked,
  caughtUp,
  converged,
  type Moment,
  swapped,
  underTheBlock,
} from './support/cutover-moments';
import { expectNothingLeft, expectSwapped, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const pair: PairOptions = { ...guarded, shards: [1, 2], documents: someDocuments(40) };

const setBlock = ({ source }: Harness, value: true | null) =>
  cluster.send('PUT', `/${source}/_settings`, { 'index.blocks.write': value });
const addBlock = ({ source }: Harness) => cluster.send('PUT', `/${source}/_block/write`);
/** Acknowledged by the source, under the eyes of a migration that takes it for blocked. */
const writeStray = ({ source }: Harness) => cluster.put(source, { id: 'stray' }, someSource('stray'));

async function liftAndWrite(harness: Harness): Promise<void> {
  await setBlock(harness, null);
  await writeStray(harness);
}

/** The swap did not happen, and the alias still shows what was written meanwhile. */
async function expectGivenUp(harness: Harness, reason: RegExp): Promise<void> {
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({
    phase: 'FAILED',
    committed: false,
    errorMessage: expect.stringMatching(reason) as string,
  });
  await expectUndone(cluster, harness);
}

describe('the write block', () => {
  test.each([blocked, beforeSwap])('is lifted by a user in $when: FAILED', async ({ arrive }) => {
    const harness = await createPair(cluster, pair);
    await arrive(cluster, harness);
    await setBlock(harness, null);
    await expectGivenUp(harness, /the write block on \[.*\] was lifted by another client/);
  });

  // A last round that meets the write knows that the source does not stand still, or that its snapshots contradict.
  const noticedByRound =
    /does not stand still.*was the block lifted by another client\?|snapshots contradict each other/;

  test.each(underTheBlock)(
    'is lifted by a user in $when, and a document is written: FAILED',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      await liftAndWrite(harness);
      await expectGivenUp(
        harness,
        arrive === blocked.arrive ? noticedByRound : /the write block on \[.*\] was lifted by another client/,
      );
    },
  );

  test.each(underTheBlock)(
    'is lifted by a user in $when, a document is written, and the block is put back: FAILED',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      await liftAndWrite(harness);
      await addBlock(harness);
      await expectGivenUp(
        harness,
        arrive === blocked.arrive
          ? noticedByRound
          : /source shard \[0\] was written to under the write block/,
      );
    },
  );

  test('is lifted and put back, and nothing was written: nothing is lost', async () => {
    const harness = await createPair(cluster, pair);
    await blocked.arrive(cluster, harness);
    await setBlock(harness, null);
    await addBlock(harness);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });

  test("is the user's own, and they lift it under the cutover: FAILED", async () => {
    const harness = await createPair(cluster, pair);
    await setBlock(harness, true);
    await harness.runUntil('CATCHING_UP');
    await liftAndWrite(harness);
    await expectGivenUp(harness, /was lifted by another client/);
  });

  test('is lifted in the very moment of the swap: what is written then is reported', async () => {
    const harness = await createPair(cluster, pair);
    const end = await harness.runUntil(
      'COMPLETED',
      beforeSwapCall(harness, () => liftAndWrite(harness)),
    );
    expect(end).toMatchObject({
      phase: 'COMPLETED',
      errorMessage: expect.stringContaining('was written to after the swap') as string,
    });
  });

  test('is lifted after a swap that no process knows of: the migration completes', async () => {
    const harness = await createPair(cluster, pair);
    await swapped.arrive(cluster, harness);
    await setBlock(harness, null);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });
});

describe('the clock is set back by an hour under the write block', () => {
  const maxMs = 120_000;

  test.each<Moment>([announced, blocked])('in $when: it is given up in time', async ({ arrive }) => {
    const harness = await createPair(cluster, {
      ...pair,
      timing: { ...pair.timing, writeBlockMaxMs: maxMs },
    });
    await arrive(cluster, harness);
    harness.jumpClock(-3_600_000);
    harness.passTime(maxMs);
    await harness.advance();
    expect(await harness.record()).toMatchObject({ phase: 'FAILED', writeBlock: { lifted: true } });
    expect((await harness.record()).errorMessage).toContain('AOSC_WRITE_BLOCK_MAX_MS');
    await expectUndone(cluster, harness);
  });

  test('and there is time left: it completes', async () => {
    const harness = await createPair(cluster, {
      ...pair,
      timing: { ...pair.timing, writeBlockMaxMs: maxMs },
    });
    await blocked.arrive(cluster, harness);
    harness.jumpClock(-3_600_000);
    harness.passTime(maxMs / 2);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });
});

describe('a setting that the copy needs is changed by a user on the target', () => {
  test.each([
    { ...converged, name: 'index.gc_deletes', value: '45s' },
    { ...converged, name: 'index.final_pipeline', value: 'theirs' },
    { ...caughtUp, name: 'index.gc_deletes', value: '45s' },
  ])('$name in $when: FAILED', async ({ arrive, name, value }) => {
    const targetSettings = { 'index.gc_deletes': '30s', 'index.final_pipeline': 'own' };
    for (const id of ['own', 'theirs']) {
      await cluster.send('PUT', `/_ingest/pipeline/${id}`, { processors: [] });
    }
    const harness = await createPair(cluster, { ...pair, targetSettings });
    await arrive(cluster, harness);
    await cluster.send('PUT', `/${harness.target}/_settings`, { [name]: value });
    await expectGivenUp(harness, /documents may have been altered on their way/);
  });
});

describe('the alias', () => {
  const change = (...actions: object[]) => cluster.send('POST', '/_aliases', { actions });
  const parseHolders = createParser(
    'answer of _alias',
    Type.Record(Type.String(), Type.Object({ aliases: Type.Record(Type.String(), Type.Unknown()) })),
  );
  const holders = async ({ alias }: Harness) => parseHolders(await cluster.send('GET', `/_alias/${alias}`));

  interface Intrusion {
    readonly what: string;
    readonly intrude: (harness: Harness, third: string) => Promise<unknown>;
  }
  const toThird: Intrusion = {
    what: 'moved to a third index',
    intrude: ({ source, alias }, third) =>
      change({ remove: { index: source, alias } }, { add: { index: third, alias } }),
  };
  const toBoth: Intrusion = {
    what: 'given to a third index as well',
    intrude: ({ source, alias }, third) =>
      change(
        { add: { index: source, alias, is_write_index: true } },
        { add: { index: third, alias, filter: { term: { key: 'k' } } } },
      ),
  };
  const toTarget: Intrusion = {
    what: 'moved to the target',
    intrude: ({ source, target, alias }) =>
      change({ remove: { index: source, alias } }, { add: { index: target, alias } }),
  };
  const toTargetAsWell: Intrusion = {
    what: 'given to the target as well',
    intrude: ({ source, target, alias }) =>
      change({ add: { index: source, alias, is_write_index: true } }, { add: { index: target, alias } }),
  };

  async function createThird(): Promise<string> {
    const third = cluster.name('third');
    await cluster.send('PUT', `/${third}`, { settings: { 'index.number_of_replicas': 0 } });
    return third;
  }

  /** The swap did not happen, the alias is as the user left it, and the source takes writes. */
  async function expectLeftAlone(
    harness: Harness,
    end: object,
    reason: string,
    made: unknown,
  ): Promise<void> {
    const errorMessage = expect.stringContaining(reason) as string;
    expect(end).toMatchObject({ phase: 'FAILED', committed: false, errorMessage });
    expect(await holders(harness)).toEqual(made);
    expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
    await cluster.put(harness.source, { id: 'after' }, someSource('after'));
    await expectNothingLeft(cluster, harness, false);
  }

  test.each(
    [
      { moment: converged, intrusions: [toThird, toBoth, toTargetAsWell] },
      { moment: announced, intrusions: [toThird] },
      { moment: blocked, intrusions: [toThird, toTargetAsWell] },
      { moment: beforeSwap, intrusions: [toThird, toBoth, toTarget, toTargetAsWell] },
    ].flatMap(({ moment, intrusions }) => intrusions.map((hazard) => ({ ...moment, ...hazard }))),
  )('is $what by a user in $when: FAILED, and it stays so', async ({ arrive, intrude }) => {
    const harness = await createPair(cluster, pair);
    const third = await createThird();
    await arrive(cluster, harness);
    await intrude(harness, third);
    const made = await holders(harness);
    const end = await harness.runUntil('COMPLETED');
    await expectLeftAlone(harness, end, 'by now: it was changed by another client', made);
  });

  test.each([toThird, toBoth, toTargetAsWell])(
    'is $what by a user during the copy: FAILED, and no writer was stopped for it',
    async ({ intrude }) => {
      const harness = await createPair(cluster, pair);
      await harness.backfill();
      await intrude(harness, await createThird());
      const made = await holders(harness);
      const end = await harness.runUntil('COMPLETED');
      expect(end).not.toHaveProperty('writeBlock');
      await expectLeftAlone(harness, end, 'by now: it was changed by another client', made);
    },
  );

  test('gets a filter during the copy that the target can not take: FAILED, and no writer was stopped for it', async () => {
    const harness = await createPair(cluster, pair);
    const { source, alias } = harness;
    const lines = { lines: { type: 'nested', properties: { sku: { type: 'keyword' } } } };
    await cluster.send('PUT', `/${source}/_mapping`, { properties: lines });
    await harness.backfill();
    const nested = { nested: { path: 'lines', query: { term: { 'lines.sku': 'k' } } } };
    await change({ add: { index: source, alias, filter: nested } });
    const made = await holders(harness);
    const end = await harness.runUntil('COMPLETED');
    expect(end).not.toHaveProperty('writeBlock');
    await expectLeftAlone(harness, end, "can't take the filter of alias", made);
  });

  test('gets the name of an index during the copy: FAILED, and no writer was stopped for it', async () => {
    const harness = await createPair(cluster, { ...pair, options: { createAlias: true } });
    const { source, alias } = harness;
    await change({ remove: { index: source, alias } });
    await harness.backfill();
    await cluster.send('PUT', `/${alias}`, { settings: { 'index.number_of_replicas': 0 } });
    try {
      const end = await harness.runUntil('COMPLETED');
      expect(end).not.toHaveProperty('writeBlock');
      expect(end).toMatchObject({
        phase: 'FAILED',
        errorMessage: expect.stringContaining('is the name of an index by now') as string,
      });
    } finally {
      await cluster.send('DELETE', `/${alias}`);
    }
  });

  test('is moved in the very moment of the swap: FAILED, and it stays so', async () => {
    const harness = await createPair(cluster, pair);
    const third = await createThird();
    const end = await harness.runUntil(
      'COMPLETED',
      beforeSwapCall(harness, () => toThird.intrude(harness, third)),
    );
    const made = { [third]: { aliases: { [harness.alias]: {} } } };
    await expectLeftAlone(harness, end, `[${harness.alias}] missing`, made);
  });

  test('is moved on after a swap that no process knows of: the migration completes, and it stays so', async () => {
    const harness = await createPair(cluster, pair);
    const third = await createThird();
    await swapped.arrive(cluster, harness);
    await change(
      { remove: { index: harness.target, alias: harness.alias } },
      { add: { index: third, alias: harness.alias } },
    );
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED', committed: true });
    expect(await holders(harness)).toEqual({ [third]: { aliases: { [harness.alias]: {} } } });
    expect(harness.events).toContain('alias_moved_on');
    await expectNothingLeft(cluster, harness, true);
  });

  test.each([converged, blocked])(
    'is taken away by a user in $when: FAILED, and it stays so',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      await change({ remove: { index: harness.source, alias: harness.alias } });
      expect(await harness.runUntil('COMPLETED')).toMatchObject({
        phase: 'FAILED',
        errorMessage: expect.stringContaining('was taken away from source index') as string,
      });
      expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([]);
      await cluster.put(harness.source, { id: 'after' }, someSource('after'));
      await expectNothingLeft(cluster, harness, false);
    },
  );

  test('is taken away by a user, and the start may have it created: the swap makes it', async () => {
    const harness = await createPair(cluster, { ...pair, options: { createAlias: true } });
    await blocked.arrive(cluster, harness);
    await change({ remove: { index: harness.source, alias: harness.alias } });
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await expectSwapped(cluster, harness);
  });
});
