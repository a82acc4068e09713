import type { IndexDescription, IndexRouting } from '@aosc/engine';
import { examplePrimary, exampleRouting } from '@aosc/testkit';
import {
  findSettingProblems,
  findUnreadyPrimaries,
  checkConsent,
  findTopologyProblems,
} from './check-readiness';
import { isAliasName, isIndexName } from './name-problems';
import type { StartContext } from './checks';

const settingProblems = (context: StartContext) => findSettingProblems(context).flatMap(([, texts]) => texts);

function createIndex(index: string, parts: Partial<IndexDescription> = {}): IndexDescription {
  return {
    index,
    uuid: index,
    open: true,
    shardCount: 2,
    routingShardCount: 1024,
    routingPartitionSize: 1,
    mappingVersion: 1,
    settings: {},
    aliases: new Map(),
    ...parts,
  };
}

function createContext(parts: Partial<StartContext> = {}): StartContext & { targetRouting: IndexRouting } {
  const routing = (states: readonly string[]) =>
    exampleRouting(states.map((state, shard) => examplePrimary(shard, { state })));
  return {
    request: {
      source: 's',
      target: 't',
      alias: 'a',
      script: undefined,
      options: undefined,
      createTarget: undefined,
    },
    options: {
      convergenceThresholdPerShard: 500,
      maxConvergenceRoundsPerShard: 1000,
      docCountTolerance: 0,
      acceptDataLossIfCustomRoutingIsUsed: false,
      targetReadyTimeoutSeconds: 60,
      removeSourceWriteBlockOnSuccess: false,
      transientTargetSettings: {},
    },
    source: createIndex('s'),
    target: createIndex('t'),
    sourceRouting: routing(['STARTED', 'RELOCATING']),
    call: { signal: new AbortController().signal },
    ...parts,
    targetRouting: parts.targetRouting ?? routing(['STARTED', 'STARTED']),
  };
}

describe('consent', () => {
  test('BULK_API needs it, in the words that clients match on', () => {
    expect(() => checkConsent('BULK_API', 2, 3, false)).toThrow(
      'Non-multiple shard migration (2 → 3 shards) cannot safely preserve documents with custom routing. ' +
        'Set options.accept_data_loss_if_custom_routing_is_used=true to proceed.',
    );
    expect(() => checkConsent('BULK_API', 6, 2, false)).toThrow('Shrinking from 6 to 2 shards cannot safely');
  });

  test('given, or not needed', () => {
    expect(() => checkConsent('BULK_API', 2, 3, true)).not.toThrow();
    expect(() => checkConsent('SPLIT_SHARD', 2, 4, false)).not.toThrow();
  });
});

describe('topology', () => {
  test('different routing shards scatter the documents of a shard', () => {
    const target = createIndex('t', { shardCount: 4, routingShardCount: 768 });
    expect(findTopologyProblems(createIndex('s'), target)).toEqual([
      'source index [s] and target index [t] have different [index.number_of_routing_shards] ' +
        '(source=1024, target=768, shards=2->4); recreate the target index with index.number_of_routing_shards=1024',
    ]);
  });

  test('virtual shards of the target come before its routing shards', () => {
    const settings = { 'index.number_of_virtual_shards': '8' };
    const target = createIndex('t', { shardCount: 4, routingShardCount: 8, settings });
    expect(findTopologyProblems(createIndex('s'), target)).toEqual([
      expect.stringMatching(
        /with index\.number_of_routing_shards=1024 and without index\.number_of_virtual_shards$/,
      ),
    ]);
  });

  test('from one shard any target will do', () => {
    const target = createIndex('t', { shardCount: 4, routingShardCount: 768 });
    expect(findTopologyProblems(createIndex('s', { shardCount: 1 }), target)).toEqual([]);
  });

  test('so does a different partition', () => {
    const [problem] = findTopologyProblems(createIndex('s'), createIndex('t', { routingPartitionSize: 3 }));
    expect(problem).toContain('target index [t] is routing-partitioned (index.routing_partition_size=3)');
  });
});

describe('readiness', () => {
  test('primaries that are starting or moving', async () => {
    const explained = (why: string | undefined) =>
      ({
        cluster: { index: () => ({ state: { explainUnassigned: () => Promise.resolve(why) } }) },
      }) as unknown as Parameters<typeof findUnreadyPrimaries>[0];
    expect(await findUnreadyPrimaries(explained(undefined), createContext())).toEqual([]);
    const { targetRouting } = createContext();
    const primaries = targetRouting.primaries.map((primary) => ({ ...primary, state: 'INITIALIZING' }));
    const told = 'target index [t] has unready primaries (0/2 active); wait for all primaries to start';
    const context = createContext({ targetRouting: { ...targetRouting, primaries } });
    expect(await findUnreadyPrimaries(explained(undefined), context)).toEqual([told]);
    expect(await findUnreadyPrimaries(explained('no room'), context)).toEqual([`${told}: no room`]);
  });

  test('a write block of its own does not matter on the source, and stops the copy on the target', () => {
    const settings = { 'index.blocks.write': 'true' };
    expect(settingProblems(createContext({ source: createIndex('s', { settings }) }))).toEqual([]);
    expect(settingProblems(createContext({ target: createIndex('t', { settings }) }))).toEqual([
      'target index [t] is blocked by [index.blocks.write]; remove the block first, with PUT /t/_settings and {"index.blocks.write": null}',
    ]);
  });

  test.each(['read_only', 'read_only_allow_delete', 'metadata', 'read'])(
    'a source under index.blocks.%s can not be blocked for writes, or lose its alias',
    (block) => {
      const source = createIndex('s', { settings: { [`index.blocks.${block}`]: 'true' } });
      expect(settingProblems(createContext({ source }))).toEqual([
        `source index [s] is blocked by [index.blocks.${block}]; remove the block first, with PUT /s/_settings and {"index.blocks.${block}": null}`,
      ]);
    },
  );

  test('a target with asynchronous durability, unless it is overridden meanwhile', () => {
    const target = createIndex('t', { settings: { 'index.translog.durability': 'async' } });
    expect(settingProblems(createContext({ target }))).toEqual([
      expect.stringContaining('could lose writes it has acknowledged'),
    ]);
    const { options } = createContext();
    const transientTargetSettings = { 'index.translog.durability': 'request' };
    const overridden = createContext({ target, options: { ...options, transientTargetSettings } });
    expect(settingProblems(overridden)).toEqual([]);
  });
});

test.each([
  '',
  '.',
  '..',
  '*',
  'a*',
  'a,b',
  '-a',
  '_all',
  '+a',
  '<a-{now/d}>',
  'a b',
  'a/b',
  'a?b',
  'a\\b',
  'a#b',
  'a:b',
  'ä'.repeat(128),
  'a\ud800',
  'a\n',
])('%j is the name of nothing', (name) => {
  expect(isAliasName(name)).toBe(false);
  expect(isIndexName(name)).toBe(false);
});

test('names of indices are in lower case, those of aliases need not be', () => {
  expect(['books', '.hidden', 'a__b', 'bücher'].every(isIndexName)).toBe(true);
  expect(isIndexName('Books')).toBe(false);
  expect(isAliasName('Books')).toBe(true);
});

describe('kinds of indices that can not be copied exactly', () => {
  const problemsOf = (parts: Partial<Pick<StartContext, 'source' | 'target'>>) =>
    settingProblems(createContext(parts));
  const side = (role: 'source' | 'target', settings: Readonly<Record<string, string>>) =>
    problemsOf({ [role]: createIndex(role, { settings }) });

  test.each([
    ['source', 'index.derived_source.enabled', 'true', 'does not keep [_source]'],
    ['target', 'index.derived_source.enabled', 'TRUE', 'does not keep [_source]'],
    ['target', 'index.append_only.enabled', 'true', 'takes no document with an id of its own'],
    ['target', 'index.store.type', 'remote_snapshot', 'takes no writes'],
    ['source', 'index.ingestion_source.type', 'kafka', 'filled from a stream'],
    ['target', 'index.ingestion_source.type', 'KINESIS', 'filled from a stream'],
  ] as const)('a %s with %s %s', (role, name, value, reason) => {
    expect(side(role, { [name]: value })).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    ['source', 'index.derived_source.enabled', 'false'],
    ['source', 'index.append_only.enabled', 'true'],
    ['source', 'index.store.type', 'hybridfs'],
    ['target', 'index.append_only.enabled', 'false'],
    ['target', 'index.ingestion_source.type', 'none'],
  ] as const)('not a %s with %s %s', (role, name, value) => {
    expect(side(role, { [name]: value })).toEqual([]);
  });
});
