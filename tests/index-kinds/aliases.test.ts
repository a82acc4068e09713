import { createParser } from '@aosc/contract';
import { callRaw, loadDocuments, readIndexSettings } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments } from '../races/support/pairs';
import { count, expectCompleted } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const parseAliases = createParser(
  'answer of _alias',
  Type.Record(Type.String(), Type.Object({ aliases: Type.Record(Type.String(), Type.Unknown()) })),
);

async function aliasesOf(index: string): Promise<Readonly<Record<string, unknown>>> {
  return (
    parseAliases(await cluster.send('GET', `/${index}/_alias?expand_wildcards=all`))[index]?.aliases ?? {}
  );
}

const change = (...actions: object[]) => cluster.send('POST', '/_aliases', { actions });

describe('the alias moves with its properties', () => {
  const filter = { bool: { filter: [{ term: { key: 'k' } }, { range: { revision: { gte: 0, lt: 1e6 } } }] } };
  test.each<{ properties: object }>([
    { properties: {} },
    { properties: { filter } },
    { properties: { routing: 'one' } },
    { properties: { index_routing: 'one', search_routing: 'one,two' } },
    { properties: { is_write_index: true } },
    { properties: { is_write_index: false } },
    { properties: { is_hidden: true } },
    {
      properties: {
        filter,
        index_routing: 'i',
        search_routing: 's,t',
        is_write_index: true,
        is_hidden: true,
      },
    },
  ])('$properties', async ({ properties }) => {
    const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(20) });
    await change({ add: { index: harness.source, alias: harness.alias, ...properties } });
    const before = (await aliasesOf(harness.source))[harness.alias];
    expect(before).toBeDefined();
    await expectCompleted(harness);
    expect(await aliasesOf(harness.target)).toEqual({ [harness.alias]: before });
    expect(await aliasesOf(harness.source)).toEqual({});
  });

  /** As text: parsed, the numbers would be rounded on both sides. */
  const textOf = async (index: string): Promise<string> =>
    (await cluster.text('GET', `/${index}/_alias`)).replaceAll(index, 'index');

  test.each([
    '9007199254740993',
    '-9223372036854775807',
    '1.0',
    '1E2',
    '-0.0',
    '1e400',
    '0.30000000000000004',
  ])('with the number %s in its filter, in the same digits', async (number) => {
    const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(20) });
    const { source, target, alias } = harness;
    const filter = `{"bool":{"should":[{"term":{"a":${number}}},{"terms":{"key":["1.0",${number}]}}]}}`;
    const add = `{"add":{"index":"${source}","alias":"${alias}","filter":${filter},"index_routing":"\\"i\\u00e9"}}`;
    const sent = await callRaw(cluster.http, {
      method: 'POST',
      path: '/_aliases',
      body: `{"actions":[${add}]}`,
    });
    expect(sent.toString()).toContain('true');
    const before = await textOf(source);
    expect(before).toContain('"filter"');
    await expectCompleted(harness);
    expect(await textOf(target)).toBe(before);
  });

  test('with its properties of the moment of the swap', async () => {
    const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(20) });
    await harness.backfill();
    const changed = { index: harness.source, alias: harness.alias, filter, is_hidden: true };
    await change({ add: changed });
    await expectCompleted(harness);
    expect(await aliasesOf(harness.target)).toEqual({ [harness.alias]: { filter, is_hidden: true } });
  });
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'an alias that is called %s, and is on no index before, is made by the swap',
  async (alias) => {
    const harness = await createPair(cluster, {
      shards: [1, 1],
      alias,
      documents: someDocuments(20),
      options: { createAlias: true },
    });
    await change({ remove: { index: harness.source, alias } });
    await expectCompleted(harness);
    expect(Object.entries(await aliasesOf(harness.target))).toEqual([[alias, {}]]);
    await change({ remove: { index: harness.target, alias } });
  },
);

test('of several aliases on the source only the named one moves, and the others are reported', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(20) });
  const others = [cluster.name('reports'), cluster.name('hidden')] as const;
  await change(
    { add: { index: harness.source, alias: others[0], filter: { exists: { field: 'key' } } } },
    { add: { index: harness.source, alias: others[1], is_hidden: true } },
  );
  const before = await aliasesOf(harness.source);
  await expectCompleted(harness);
  const { [harness.alias]: moved, ...stayed } = before;
  expect(await aliasesOf(harness.target)).toEqual({ [harness.alias]: moved });
  expect(await aliasesOf(harness.source)).toEqual(stayed);
  expect(Object.keys(stayed).toSorted()).toEqual(others.toSorted());
  expect(harness.events).toContain('aliases_left');
  expect((await harness.record()).aliasesLeftBehind).toEqual(others.toSorted());
});

describe("the target's default and final pipelines touch no migrated document and are back afterwards", () => {
  const pipelines = ['by-default', 'at-the-end'] as const;
  const settings = {
    'index.default_pipeline': pipelines[0],
    'index.final_pipeline': pipelines[1],
    'index.gc_deletes': '45s',
  };
  beforeAll(async () => {
    for (const name of pipelines) {
      const processors = [{ set: { field: 'marked', value: name } }];
      await cluster.send('PUT', `/_ingest/pipeline/${name}`, { processors });
    }
  });

  const create = (shards: PairOptions['shards']): Promise<Harness> =>
    createPair(cluster, { shards, documents: someDocuments(60), targetSettings: settings });

  async function expectSettings(harness: Harness): Promise<void> {
    expect(await readIndexSettings(cluster.http, harness.target)).toMatchObject(settings);
  }

  test.each([{ shards: [1, 1] as const }, { shards: [2, 4] as const }, { shards: [2, 3] as const }])(
    'after COMPLETED, $shards',
    async ({ shards }) => {
      const harness = await create(shards);
      await harness.backfill();
      await cluster.removeAll(harness.alias, someDocuments(10));
      await loadDocuments(cluster.http, harness.alias, someDocuments(20).slice(15));
      await harness.round();
      await harness.expectExact();
      await loadDocuments(cluster.http, harness.alias, someDocuments(25).slice(20));
      await expectCompleted(harness);
      await expectSettings(harness);
      // and they are at work again
      await loadDocuments(cluster.http, harness.alias, [{ id: 'd30', source: '{}' }]);
      expect(await cluster.send('GET', `/${harness.target}/_source/d30`)).toEqual({ marked: pipelines[1] });
      expect(await cluster.send('GET', `/${harness.source}/_source/d31`)).not.toHaveProperty('marked');
    },
  );

  test('after CANCELLED', async () => {
    const harness = await create([1, 2]);
    await harness.backfill();
    await harness.cancel();
    expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    await expectSettings(harness);
    expect(await count(cluster, harness.target, { match_all: {} })).toBe(60);
  });
});
