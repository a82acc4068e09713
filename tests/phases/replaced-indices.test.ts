import { createParser } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import { createSourceIndex, createTargetIndex, readIndexSettings } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import {
  announced,
  beforeBlock,
  beforeCounts,
  beforeSwap,
  blocked,
  caughtUp,
  converged,
  swapped,
  underTheBlock,
} from './support/cutover-moments';
import { expectNothingLeft, expectSourceServes, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const pair: PairOptions = { ...guarded, shards: [1, 2], documents: someDocuments(40) };
const wait = 'wait_for_active_shards=all';

const close = (index: string) => cluster.send('POST', `/${index}/_close?${wait}`);
const open = (index: string) => cluster.send('POST', `/${index}/_open?${wait}`);

async function remakeSource({ source, alias }: Harness): Promise<void> {
  await cluster.send('DELETE', `/${source}`);
  await createSourceIndex(cluster.http, { name: source, alias, shards: 1 });
  await cluster.put(source, { id: 'theirs' }, someSource('theirs'));
}

async function remakeTarget({ target }: Harness): Promise<void> {
  await cluster.send('DELETE', `/${target}`);
  await createTargetIndex(cluster.http, { name: target, shards: 2 });
  await cluster.put(target, { id: 'theirs' }, someSource('theirs'));
}

const parseIndex = createParser(
  'answer of GET index',
  Type.Record(Type.String(), Type.Object({ aliases: Type.Record(Type.String(), Type.Unknown()) })),
);

/** An index that a user has made holds what the user has put there, and nothing of the migration. */
async function expectTheirs(index: string, aliases: readonly string[]): Promise<void> {
  await cluster.ports.index(index).state.refresh(call);
  expect(await cluster.ports.index(index).state.count(undefined, call)).toBe(1);
  const described = parseIndex(await cluster.send('GET', `/${index}?expand_wildcards=all`));
  expect(Object.keys(described[index]?.aliases ?? {})).toEqual(aliases);
  expect(await cluster.ports.index(index).settings.readWriteBlock(call)).toBe('none');
}

const failed = (reason: RegExp) => ({
  phase: 'FAILED',
  committed: false,
  errorMessage: expect.stringMatching(reason) as string,
});

describe('the source is deleted and made again by a user', () => {
  const isAnother = /Source index \[.*\] (no longer exists|was deleted and made again)/;

  test.each([announced, ...underTheBlock])(
    'in $when: FAILED, and the new index is untouched',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      await remakeSource(harness);
      expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(isAnother));
      await expectTheirs(harness.source, [harness.alias]);
      await expectUndone(cluster, harness);
    },
  );

  test('in the very moment of the block: FAILED, and theirs is not blocked', async () => {
    const harness = await createPair(cluster, pair);
    const end = await harness.runUntil(
      'COMPLETED',
      beforeBlock(() => remakeSource(harness)),
    );
    expect(end).toMatchObject(failed(isAnother));
    await expectTheirs(harness.source, [harness.alias]);
    await expectUndone(cluster, harness);
  });

  test.each([
    ['in the very moment of the block', beforeBlock],
    ['when it is blocked', undefined],
  ])("its name is an alias of a user's other index %s: that one is not blocked", async (_, moment) => {
    const harness = await createPair(cluster, pair);
    const other = cluster.name('victim');
    await createTargetIndex(cluster.http, { name: other, shards: 1 });
    await cluster.put(other, { id: 'theirs' }, someSource('theirs'));
    const replace = () =>
      cluster.send('POST', '/_aliases', {
        actions: [
          { remove_index: { index: harness.source } },
          { add: { index: other, alias: harness.source } },
        ],
      });
    if (moment === undefined) {
      await blocked.arrive(cluster, harness);
      await replace();
    }
    const end = await harness.runUntil('COMPLETED', moment?.(replace));
    expect(end).toMatchObject({ phase: 'FAILED', committed: false });
    await expectTheirs(other, [harness.source]);
  });

  test('the mark of the block is taken away by a user in the very moment of the block: it is made again', async () => {
    const harness = await createPair(cluster, pair);
    const { key } = await harness.record();
    let taken = 0;
    const end = await harness.runUntil(
      'COMPLETED',
      beforeBlock(async () => {
        if (taken++ > 0) return;
        const remove = { index: harness.source, alias: blockAlias(key), must_exist: true };
        await cluster.send('POST', '/_aliases', { actions: [{ remove }] });
      }),
    );
    expect(end).toMatchObject({ phase: 'COMPLETED', committed: true });
    expect(taken).toBeGreaterThan(1);
  });

  test('with a block of their own: it stays', async () => {
    const harness = await createPair(cluster, pair);
    await announced.arrive(cluster, harness);
    await remakeSource(harness);
    await cluster.send('PUT', `/${harness.source}/_block/write`);
    expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(isAnother));
    expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('set');
    await expectNothingLeft(cluster, harness, true);
  });
});

describe('the target is deleted and made again by a user', () => {
  const isAnother =
    /Target index \[.*\] no longer exists|target shard \[0\] is not the one that was written to/;

  test.each([announced, ...underTheBlock])(
    'in $when: FAILED, and the new index is untouched',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      await remakeTarget(harness);
      const settings = await readIndexSettings(cluster.http, harness.target);
      expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(isAnother));
      await expectTheirs(harness.target, []);
      expect(await readIndexSettings(cluster.http, harness.target)).toEqual(settings);
      await expectSourceServes(cluster, harness);
    },
  );
});

describe("the target is deleted and its name becomes an alias of a user's other index", () => {
  async function remakeAsAlias(harness: Harness): Promise<string> {
    const other = cluster.name('victim');
    await createTargetIndex(cluster.http, { name: other, shards: 2 });
    await cluster.put(other, { id: 'theirs' }, someSource('theirs'));
    await cluster.send('POST', '/_aliases', {
      actions: [
        { remove_index: { index: harness.target } },
        { add: { index: other, alias: harness.target } },
      ],
    });
    return other;
  }

  test.each([converged, announced, ...underTheBlock])(
    'in $when: FAILED, and the new index is untouched',
    async ({ arrive }) => {
      const harness = await createPair(cluster, pair);
      await arrive(cluster, harness);
      const other = await remakeAsAlias(harness);
      const settings = await readIndexSettings(cluster.http, other);
      expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'FAILED', committed: false });
      await expectTheirs(other, [harness.target]);
      expect(await readIndexSettings(cluster.http, other)).toEqual(settings);
      await expectSourceServes(cluster, harness);
    },
  );

  test.each([converged, blocked])('in $when: a cancel comes to its end', async ({ arrive }) => {
    const harness = await createPair(cluster, pair);
    await arrive(cluster, harness);
    const other = await remakeAsAlias(harness);
    await harness.cancel();
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'CANCELLED' });
    await expectTheirs(other, [harness.target]);
    await expectSourceServes(cluster, harness);
  });

  test('between the look at the target and the change of its settings: theirs are as they were', async () => {
    const harness = await createPair(cluster, pair);
    await converged.arrive(cluster, harness);
    await harness.cancel();
    let other = '';
    let settings: unknown;
    const replaceBefore: Faults = {
      target: {
        state: (real) => ({
          async describe(call) {
            const described = await real.describe(call);
            if (other === '') {
              other = await remakeAsAlias(harness);
              settings = await readIndexSettings(cluster.http, other);
            }
            return described;
          },
        }),
      },
    };
    expect(await harness.runUntil('COMPLETED', replaceBefore)).toMatchObject({ phase: 'CANCELLED' });
    expect(other).not.toBe('');
    await expectTheirs(other, [harness.target]);
    expect(await readIndexSettings(cluster.http, other)).toEqual(settings);
  });
});

test.each([blocked, caughtUp, beforeCounts, beforeSwap])(
  'the source is closed by a user in $when: FAILED, and it takes writes when it is open again',
  async ({ arrive }) => {
    const harness = await createPair(cluster, pair);
    await arrive(cluster, harness);
    await close(harness.source);
    expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(/closed/));
    await open(harness.source);
    await expectUndone(cluster, harness);
  },
);

test.each([blocked, caughtUp, beforeCounts, beforeSwap])(
  'the target is closed by a user in $when: FAILED, and it has its settings when it is open again',
  async ({ arrive }) => {
    const harness = await createPair(cluster, { ...pair, targetSettings: { 'index.gc_deletes': '45s' } });
    await arrive(cluster, harness);
    await close(harness.target);
    expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(/closed/));
    await open(harness.target);
    await expectUndone(cluster, harness);
  },
);

test('the target is deleted by a user right before the last rounds: FAILED at once', async () => {
  const harness = await createPair(cluster, pair);
  await blocked.arrive(cluster, harness);
  await cluster.send('DELETE', `/${harness.target}`);
  expect(await harness.runUntil('COMPLETED')).toMatchObject(failed(/there is no index \[.*\]/));
  await expectSourceServes(cluster, harness);
});

test.each<[string, (harness: Harness) => Promise<unknown>]>([
  ['deleted', ({ source }) => cluster.send('DELETE', `/${source}`)],
  ['closed', ({ source }) => close(source)],
])(
  'the old source is %s after a swap that no process knows of: the migration completes',
  async (_, intrude) => {
    const harness = await createPair(cluster, pair);
    await swapped.arrive(cluster, harness);
    await intrude(harness);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED', committed: true });
    expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.target]);
  },
);
