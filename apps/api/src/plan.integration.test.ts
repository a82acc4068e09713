import { randomUUID } from 'node:crypto';
import type { PlanAnswer, PlanCheckId } from '@aosc/contract';
import { type Stack, startStack } from '@aosc/local-stack';
import { scratchPrefix } from '@aosc/domain';
import { createClient, createClusterPorts, listCreated } from '@aosc/opensearch';
import { createLogger } from '@aosc/telemetry';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';
import { removeOrphans } from './start/plan/try-documents';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `p-${randomUUID()}`;
let made = 0;

beforeAll(async () => {
  const settings = { 'cluster.routing.allocation.disk.watermark.enable_for_single_data_node': 'true' };
  stack = await startStack({ nodes: [{ settings }] });
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
});
afterAll(async () => {
  if (stack !== undefined) await aosc.close();
  await stack?.stop();
});

/** A source with an alias and some documents, and a target like it. */
interface Case {
  readonly source?: object;
  /** what differs from the source; `none`: there is no target */
  readonly target?: object | 'none';
  readonly mappings?: object;
  readonly targetMappings?: object;
  readonly aliases?: object;
  readonly documents?: readonly object[];
  /** more than the names */
  readonly body?: object;
  /** is done before the plan; @returns what undoes it */
  readonly trap?: (names: Names) => Promise<(() => Promise<unknown>) | undefined>;
}

interface Names {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
}

const usual = { number_of_shards: 2, number_of_replicas: 0, number_of_routing_shards: 768 };

async function prepare({
  source,
  target,
  mappings = {},
  targetMappings,
  aliases,
  documents = [{ n: 1 }],
}: Case) {
  const name = `${prefix}-${(made += 1)}`;
  const names: Names = { source: name, target: `${name}-new`, alias: `${name}-alias` };
  await aosc.cluster('PUT', `/${names.source}`, {
    settings: { ...usual, ...source },
    mappings,
    aliases: { [names.alias]: {}, ...aliases },
  });
  for (const document of documents)
    await aosc.cluster('POST', `/${names.source}/_doc?refresh=true`, document);
  const { mappings: now } = (
    (await aosc.cluster('GET', `/${names.source}`)) as Record<string, { mappings: object }>
  )[names.source] ?? { mappings };
  if (target !== 'none')
    await aosc.cluster('PUT', `/${names.target}`, {
      settings: { ...usual, ...source, ...target },
      mappings: targetMappings ?? now,
    });
  return names;
}

const plan = (names: Names, more: object = {}) =>
  aosc.api('POST', `/_plugins/_aosc/${names.source}/_plan`, {
    target_index: names.target,
    alias: names.alias,
    seconds: 0,
    ...more,
  });

/** The checks that found something: id and verdict. */
const found = ({ checks }: PlanAnswer) =>
  Object.fromEntries(
    checks.filter(({ verdict }) => verdict !== 'ok').map(({ id, verdict }) => [id, verdict]),
  );

async function planOf(trap: Case): Promise<PlanAnswer> {
  const names = await prepare(trap);
  const undo = await trap.trap?.(names);
  try {
    const { status, body } = await plan(names, trap.body);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as PlanAnswer;
  } finally {
    await undo?.();
  }
}

const clusterSettings = (settings: Readonly<Record<string, unknown>>) => async () => {
  const put = (persistent: object) => aosc.cluster('PUT', '/_cluster/settings', { persistent });
  await put(settings);
  return () => put(Object.fromEntries(Object.keys(settings).map((name) => [name, null])));
};

/** Sends a request to the cluster before the plan, and another one after it. */
const around =
  (
    before: (names: Names) => Parameters<ApiUnderTest['cluster']>,
    after?: (names: Names) => Parameters<ApiUnderTest['cluster']>,
  ) =>
  async (names: Names) => {
    await aosc.cluster(...before(names));
    return after && (() => aosc.cluster(...after(names)));
  };

test.each<[string, Case]>([
  ['SAME_SHARD', {}],
  ['SPLIT_SHARD', { target: { number_of_shards: 4 } }],
  [
    'BULK_API',
    {
      target: { number_of_shards: 3 },
      body: { options: { accept_data_loss_if_custom_routing_is_used: true } },
    },
  ],
  ['files', { target: 'none', body: { options: { copy: 'files' } } }],
  [
    'a split by files, with another codec',
    {
      target: 'none',
      body: {
        options: { copy: 'files' },
        create_target: { number_of_shards: 4, settings: { 'index.codec': 'best_compression' } },
      },
    },
  ],
  [
    'a script',
    { body: { transform_script: { type: 'inline', source: 'ctx._source.n = ctx._source.n + 1' } } },
  ],
  [
    'nested documents and several types',
    {
      mappings: {
        dynamic: 'strict',
        properties: {
          at: { type: 'date' },
          title: { type: 'text', fields: { raw: { type: 'keyword' } } },
          lines: { type: 'nested', properties: { item: { type: 'keyword' }, price: { type: 'double' } } },
        },
      },
      documents: [
        { at: '2026-01-01', title: 'one', lines: [{ item: 'a', price: 1.5 }, { item: 'b' }] },
        { title: 'two' },
      ],
    },
  ],
  [
    'a sorted index',
    {
      source: { sort: { field: 'n', order: 'desc' } },
      mappings: { properties: { n: { type: 'long' } } },
      documents: [{ n: 1 }, { n: 2 }],
    },
  ],
  [
    'a partitioned index with a required routing and no documents',
    {
      source: { routing_partition_size: 2, number_of_shards: 4 },
      mappings: { _routing: { required: true } },
      documents: [],
    },
  ],
  [
    'verified by content, with the cutover by hand',
    { body: { options: { verify: 'content', cutover: 'manual' } } },
  ],
])('a clean index raises nothing: %s', async (_, clean) => {
  const answer = await planOf(clean);
  expect([answer.verdict, found(answer)]).toEqual(['ok', {}]);
  expect(answer.checks.length).toBeGreaterThan(20);
});

const numbers = { properties: { n: { type: 'long' } } };
const byScript = (source: string) => ({ transform_script: { type: 'inline', source } });
const options = (parts: object) => ({ options: parts });
const watermark = 'cluster.routing.allocation.disk.watermark';

/** Each with exactly what the plan finds. */
const traps: Readonly<Record<string, Case & { readonly finds: Partial<Record<PlanCheckId, string>> }>> = {
  'an option that there is not': { body: options({ max_rounds: 3 }), finds: { 'request.form': 'refuse' } },
  'a query that is too long': {
    body: options({ validation_query: { ids: { values: ['x'.repeat(300_000)] } } }),
    finds: { 'query.permitted': 'refuse' },
  },
  'a source that migrates already': {
    trap: async (names) => {
      const started = await aosc.api('POST', `/_plugins/_aosc/${names.source}/_start`, {
        target_index: names.target,
        alias: names.alias,
      });
      expect(started.status).toBe(200);
      return undefined;
    },
    finds: { 'indices.in_use': 'refuse' },
  },
  'a setting of a plugin for the target': {
    body: options({ transient_target_settings: { 'index.some_plugin.x': 1 } }),
    finds: { 'options.permitted': 'refuse' },
  },
  'files, and a script': {
    target: 'none',
    body: { ...options({ copy: 'files' }), ...byScript('ctx._source.a = 1') },
    finds: { 'target.files': 'refuse' },
  },
  'no target': { target: 'none', finds: { 'target.index': 'refuse' } },
  'a target that is an alias': {
    target: 'none',
    trap: around(({ source, target }) => ['PUT', `/${source}/_alias/${target}`]),
    finds: { 'target.index': 'refuse', 'alias.left_behind': 'warn' },
  },
  'fewer shards without consent': { target: { number_of_shards: 1 }, finds: { 'shards.consent': 'refuse' } },
  'primaries that no node takes': {
    target: 'none',
    trap: around(({ target }) => [
      'PUT',
      `/${target}?wait_for_active_shards=0`,
      { settings: { ...usual, 'index.routing.allocation.require._name': 'nobody' }, mappings: numbers },
    ]),
    finds: { 'shards.primaries': 'refuse', 'target.copies': 'warn' },
  },
  'an alias of another index': {
    trap: around(({ source, alias }) => [
      'PUT',
      `/${source}-other`,
      { settings: usual, aliases: { [alias]: {} } },
    ]),
    finds: { 'alias.free': 'refuse' },
  },
  'another ring of routing shards': {
    target: { number_of_shards: 4, number_of_routing_shards: 512 },
    finds: { 'shards.topology': 'refuse' },
  },
  'a target that is blocked': {
    trap: around(
      ({ target }) => ['PUT', `/${target}/_settings`, { 'index.blocks.read_only': true }],
      ({ target }) => ['PUT', `/${target}/_settings`, { 'index.blocks.read_only': null }],
    ),
    finds: { 'index.blocks': 'refuse' },
  },
  'a target that syncs later': {
    target: { 'translog.durability': 'async' },
    finds: { 'target.durability': 'refuse' },
  },
  'a target that is append-only': {
    target: { 'append_only.enabled': true },
    finds: { 'index.kind': 'refuse' },
  },
  'a target that leaves fields out': {
    targetMappings: { ...numbers, _source: { excludes: ['secret'] } },
    finds: { 'index.source_field': 'refuse' },
  },
  'a filter of the alias that the target can not take': {
    targetMappings: { properties: { n: { type: 'geo_point' } } },
    trap: around(({ source, alias }) => [
      'POST',
      '/_aliases',
      { actions: [{ add: { index: source, alias, filter: { range: { n: { gte: 1 } } } } }] },
    ]),
    finds: { 'alias.filter': 'refuse', 'target.mapping': 'warn', 'documents.fit': 'refuse' },
  },
  'points in time that live for two minutes': {
    trap: clusterSettings({ 'search.default_keep_alive': '1m', 'point_in_time.max_keep_alive': '2m' }),
    finds: { 'cluster.snapshots': 'refuse' },
  },
  'too few buckets': {
    trap: clusterSettings({ 'search.max_buckets': 1 }),
    finds: { 'cluster.buckets': 'refuse' },
  },
  'too few points in time': {
    trap: clusterSettings({ 'search.max_open_pit_context': 2 }),
    finds: { 'cluster.snapshot_room': 'refuse' },
  },
  'a script that does not compile': { body: byScript('no painless'), finds: { 'script.runs': 'refuse' } },
  'a script that fails': { body: byScript('ctx._source.a.b = 1'), finds: { 'script.runs': 'refuse' } },
  'a target with documents': {
    trap: around(({ target }) => ['PUT', `/${target}/_doc/1`, { n: 1 }]),
    finds: { 'target.empty': 'refuse' },
  },
  'a query that can not be counted': {
    body: options({ validation_query: { nonsense: {} } }),
    finds: { 'query.counts': 'refuse' },
  },
  'a query that matches nothing': {
    body: options({ validation_query: { term: { n: 2 } } }),
    finds: { 'query.matches': 'warn' },
  },
  'a mistyped alias': {
    body: { alias: `${prefix}-typo` },
    finds: { 'alias.on_source': 'refuse', 'alias.left_behind': 'warn' },
  },
  'an alias that stays': { aliases: { [`${prefix}-reads`]: {} }, finds: { 'alias.left_behind': 'warn' } },
  'an alias that rolls over': {
    trap: around(({ source, alias }) => [
      'POST',
      '/_aliases',
      { actions: [{ add: { index: source, alias, is_write_index: true } }] },
    ]),
    finds: { 'alias.rollover': 'warn' },
  },
  'a template that matches only the source': {
    trap: around(
      ({ source }) => ['PUT', `/_index_template/${source}`, { index_patterns: [source] }],
      ({ source }) => ['DELETE', `/_index_template/${source}`],
    ),
    finds: { 'source.templates': 'warn' },
  },
  'an old template that matches only the target': {
    trap: around(
      ({ target }) => ['PUT', `/_template/${target}`, { index_patterns: [target] }],
      ({ target }) => ['DELETE', `/_template/${target}`],
    ),
    finds: { 'source.templates': 'warn' },
  },
  'a pipeline of the source only': {
    trap: around(({ source }) => ['PUT', `/${source}/_settings`, { 'index.default_pipeline': 'stamp' }]),
    finds: { 'target.pipelines': 'warn' },
  },
  'a pipeline that there is not': {
    source: { default_pipeline: 'nowhere' },
    documents: [],
    finds: { 'target.pipelines': 'refuse' },
  },
  'a field of another type': {
    targetMappings: { properties: { n: { type: 'keyword' } } },
    finds: { 'target.mapping': 'warn' },
  },
  'a field that the target does not map': { targetMappings: {}, finds: { 'target.mapping': 'warn' } },
  'a strict target': {
    targetMappings: { dynamic: 'strict', ...numbers },
    finds: { 'target.mapping': 'warn' },
  },
  'another analyser': {
    target: { analysis: { analyzer: { default: { type: 'keyword' } } } },
    finds: { 'target.settings': 'warn' },
  },
  'fewer fields than the source may have': {
    source: { 'mapping.total_fields.limit': 2000 },
    target: { 'mapping.total_fields.limit': 10 },
    finds: { 'target.settings': 'warn' },
  },
  'more replicas than nodes': { target: { number_of_replicas: 1 }, finds: { 'target.copies': 'warn' } },
  'disks that are too full': {
    trap: clusterSettings({
      'cluster.routing.allocation.disk.threshold_enabled': true,
      [`${watermark}.low`]: '900tb',
      [`${watermark}.high`]: '1b',
      [`${watermark}.flood_stage`]: '1b',
    }),
    // The low mark holds for no new primary: the scratch index gets its shard.
    finds: { 'cluster.disk': 'warn' },
  },
  'no room for shards': {
    target: 'none',
    trap: clusterSettings({ 'cluster.max_shards_per_node': 1 }),
    finds: { 'target.index': 'refuse', 'cluster.shard_room': 'warn' },
  },
  'a cluster that allocates primaries only': {
    trap: clusterSettings({ 'cluster.routing.allocation.enable': 'primaries' }),
    finds: { 'cluster.allocation': 'warn' },
  },
  'a cluster that allocates nothing': {
    trap: clusterSettings({ 'cluster.routing.allocation.enable': 'none' }),
    finds: { 'cluster.allocation': 'warn', 'documents.read': 'warn' },
  },
  'documents that the target refuses': {
    mappings: { properties: { n: { type: 'keyword' } } },
    targetMappings: numbers,
    documents: [{ n: 1 }, { n: 'secret-1' }, { n: 'secret-2' }],
    finds: { 'target.mapping': 'warn', 'documents.fit': 'refuse' },
  },
  'fields beyond the limit of the target': {
    targetMappings: {},
    target: { 'mapping.total_fields.limit': 2 },
    documents: [{ a: 1, b: 1, c: 1 }],
    finds: { 'target.mapping': 'warn', 'target.settings': 'warn', 'documents.fit': 'refuse' },
  },
  'a script that fails on one of many documents': {
    documents: [...Array.from({ length: 30 }, () => ({ n: 1 })), { n: 9 }],
    body: byScript('if (ctx._source.n > 5) { throw new IllegalArgumentException() }'),
    finds: { 'documents.script': 'refuse' },
  },
  'a script that gives documents one id': {
    documents: [{ n: 1 }, { n: 2 }],
    body: byScript("ctx._id = 'same'"),
    finds: { 'documents.ids': 'refuse' },
  },
  'custom routing, and fewer shards': {
    target: { number_of_shards: 1 },
    body: options({ accept_data_loss_if_custom_routing_is_used: true }),
    trap: around(({ source }) => ['PUT', `/${source}/_doc/routed?routing=x&refresh=true`, { n: 1 }]),
    finds: { 'documents.routing': 'warn' },
  },
  'a date that is over': {
    body: options({ cutover_not_before: '2001-01-01T00:00:00Z' }),
    finds: { 'cutover.moment': 'warn' },
  },
  'a date in another century': {
    body: options({ cutover_not_before: '2126-01-01T00:00:00Z' }),
    finds: { 'cutover.moment': 'warn' },
  },
};

test.each(Object.entries(traps))('a trap: %s', async (_, { finds, ...trap }) => {
  const answer = await planOf(trap);
  expect(found(answer)).toEqual(finds);
  for (const { verdict, evidence, remedy } of answer.checks) {
    expect(evidence).not.toBe('');
    expect(remedy === undefined).toBe(verdict === 'ok');
  }
});

test('documents: what the script does to them, why the target refuses them, and nothing stays behind', async () => {
  const answer = await planOf({
    mappings: { properties: { n: { type: 'keyword' } } },
    targetMappings: { properties: { n: { type: 'long' }, by: { type: 'keyword' } } },
    documents: [{ n: 1 }, { n: 'secret-1' }, { n: 'secret-2' }],
    body: { ...byScript("if (ctx._source.n == 1) { ctx._source.by = 'me' }"), documents: 10 },
  });
  const { documents, estimates } = answer;
  expect(documents).toMatchObject({
    looked_at: 3,
    refused: [{ count: 2, reason: expect.stringContaining('mapper_parsing_exception') as string }],
    script: {
      changed: 1,
      unchanged: 2,
      renamed: 0,
      collisions: [],
      fields: [{ field: 'by', added: 1, removed: 0, changed: 0 }],
      failed: [],
    },
  });
  expect(JSON.stringify(answer)).not.toContain('secret');
  expect(estimates?.documents?.value).toBe(3);
  // Nothing is copied into an index that refuses documents.
  expect(Object.keys(estimates ?? {})).toEqual(['documents', 'bytes', 'disk_bytes', 'pause_ms']);
  expect(await aosc.cluster('GET', `/${scratchPrefix}*?expand_wildcards=all`)).toEqual({});
});

test('a scratch index of a process that has died is removed an hour later', async () => {
  const client = createClient({ nodes: stack?.openSearchUrls ?? [] });
  const orphan = `${scratchPrefix}orphan`;
  await aosc.cluster('PUT', `/${orphan}`, { settings: { ...usual, hidden: true } });
  const remove = (later: number) =>
    removeOrphans({
      cluster: createClusterPorts(client),
      listScratch: (prefix, call) => listCreated(client, prefix, call),
      newCall: () => aosc.call,
      logger: createLogger({ app: 'api', level: 'error' }),
      now: () => Date.now() + later,
    });
  await remove(0);
  expect(await aosc.cluster('GET', `/${orphan}`)).toHaveProperty([orphan]);
  await remove(2 * 3_600_000);
  expect(await aosc.cluster('GET', `/${scratchPrefix}*?expand_wildcards=all`)).toEqual({});
  await client.close();
});

test('what leaves nothing to look at is refused like a start', async () => {
  const names = await prepare({});
  expect(await plan({ ...names, source: `${prefix}-nobody` })).toEqual(
    errorLike(400, 'illegal_argument_exception', 'not found'),
  );
  expect(await plan(names, { alias: '' })).toEqual(
    errorLike(400, 'action_request_validation_exception', 'alias is required'),
  );
});

describe('a start that follows a plan', () => {
  const start = (names: Names, id: string, more: object = {}, query = '') =>
    aosc.api('POST', `/_plugins/_aosc/${names.source}/_start${query}`, {
      target_index: names.target,
      alias: names.alias,
      plan: id,
      ...more,
    });
  const planIdOf = async (names: Names) => ((await plan(names)).body as PlanAnswer).plan_id;

  test('is accepted while all is as it was', async () => {
    const names = await prepare({});
    const id = await planIdOf(names);
    expect(await planIdOf(names)).toBe(id);
    expect(await start(names, id, {}, '?dry_run=true')).toMatchObject({ status: 200 });
    expect(await start(names, id)).toMatchObject({ status: 200, body: { accepted: true } });
  });

  test.each<[string, (names: Names) => Parameters<ApiUnderTest['cluster']>]>([
    ['the mapping of the source', ({ source }) => ['POST', `/${source}/_doc`, { another: 1 }]],
    ['settings of the target', ({ target }) => ['PUT', `/${target}/_settings`, { refresh_interval: '3s' }]],
    ['aliases', ({ source, alias }) => ['PUT', `/${source}/_alias/${alias}-2`]],
  ])('is refused after a change, by its name: %s', async (part, change) => {
    const names = await prepare({});
    const id = await planIdOf(names);
    await aosc.cluster(...change(names));
    expect(await start(names, id)).toEqual(
      errorLike(
        409,
        'illegal_state_exception',
        `since the plan these have changed: ${part}. Make a new plan`,
      ),
    );
    expect(await start(names, await planIdOf(names))).toMatchObject({ status: 200 });
  });

  test('is refused with another request, and with what is no plan', async () => {
    const names = await prepare({});
    const id = await planIdOf(names);
    expect(await start(names, id, { options: { doc_count_tolerance: 1 } })).toEqual(
      errorLike(409, 'illegal_state_exception', 'changed: the request, or a default of its options. Make'),
    );
    expect(await start(names, 'something')).toEqual(
      errorLike(400, 'illegal_argument_exception', 'is not the plan_id of a plan'),
    );
  });
});

test('the time of the copy is estimated by copying for a while', async () => {
  const { estimates } = await planOf({ documents: [{ n: 1 }, { n: 2 }], body: { seconds: 1 } });
  expect(estimates?.seconds).toEqual({ value: 1, how: expect.stringContaining('were copied') as string });
  expect(await aosc.cluster('GET', `/${scratchPrefix}*?expand_wildcards=all`)).toEqual({});
});
