import { randomUUID } from 'node:crypto';
import type { Stack } from '@aosc/local-stack';
import { borrowStack } from '@aosc/testkit';
import { advanceQueue, createConsumer, parseAdvanceJob } from '@aosc/queue';
import { migrationKey } from '@aosc/store';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `i-${randomUUID()}`;
const source = `${prefix}-source`;
const target = `${prefix}-target`;
const alias = `${prefix}-alias`;
const start = (body: object, from = source) =>
  aosc.api('POST', `/_plugins/_aosc/${encodeURIComponent(from)}/_start`, body);

async function makeIndex(name: string, shards: number, settings: object = {}, rest: object = {}) {
  const body = {
    settings: {
      number_of_shards: shards,
      number_of_replicas: 0,
      number_of_routing_shards: 768,
      ...settings,
    },
    ...rest,
  };
  await aosc.cluster('PUT', `/${name}`, body);
}

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
  await makeIndex(source, 2, {}, { aliases: { [alias]: {} } });
  await makeIndex(target, 4);
});

afterAll(async () => {
  if (stack !== undefined) {
    await aosc.cluster('DELETE', `/_data_stream/${prefix}-*`);
    await aosc.cluster('DELETE', `/_index_template/${prefix}-*`);
    await aosc.cluster('PUT', `/${prefix}-readonly/_settings`, { 'index.blocks.read_only': null });
    await aosc.cluster('DELETE', `/${prefix}-*?expand_wildcards=all`);
    await aosc.close();
  }
  await stack?.stop();
});

async function countRecords(): Promise<unknown> {
  await aosc.cluster('POST', '/.aosc-migrations/_refresh');
  const { count } = (await aosc.cluster('GET', '/.aosc-migrations/_count')) as { count: unknown };
  return count;
}

/** Every document of `.aosc-migrations`: id -> kind. */
async function listRecords(): Promise<ReadonlyMap<string, string>> {
  await aosc.cluster('POST', '/.aosc-migrations/_refresh');
  const answer = (await aosc.cluster('GET', '/.aosc-migrations/_search?size=1000&_source=kind')) as {
    hits: { hits: { _id: string; _source: { kind: string } }[] };
  };
  return new Map(answer.hits.hits.map(({ _id, _source: { kind } }) => [_id, kind]));
}

/** Kinds of the records that have come since. */
async function listNewRecords(before: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const now = await listRecords();
  return [...now].flatMap(([id, kind]) => (before.has(id) ? [] : [kind])).toSorted();
}

/** No start has put an alias, a block or any other setting on these indices. */
async function expectUntouched(names: readonly string[]): Promise<void> {
  const indices = (await aosc.cluster('GET', `/${names.join(',')}?flat_settings=true`)) as Record<
    string,
    { aliases: object; settings: Record<string, string> }
  >;
  for (const name of names) {
    expect(indices[name]?.aliases).toEqual({});
    expect(
      Object.keys(indices[name]?.settings ?? {}).filter((key) => key.startsWith('index.blocks')),
    ).toEqual([]);
  }
}

describe('a start that is refused writes nothing', () => {
  let before: unknown;
  beforeAll(async () => {
    const blocked = { 'index.blocks.write': true };
    const notAllocated = { 'index.routing.allocation.require._name': 'nobody' };
    await makeIndex(`${prefix}-other`, 1, {}, { aliases: { [`${prefix}-elsewhere`]: {} } });
    await makeIndex(`${prefix}-closed`, 2);
    await aosc.cluster('POST', `/${prefix}-closed/_close`);
    await makeIndex(
      `${prefix}-readonly`,
      2,
      {},
      { aliases: { [`${prefix}-a`]: {}, [`${prefix}-over-two`]: {} } },
    );
    await makeIndex(`${prefix}-second`, 2, {}, { aliases: { [`${prefix}-over-two`]: {} } });
    await aosc.cluster('PUT', `/${prefix}-readonly/_settings`, { 'index.blocks.read_only': true });
    await aosc.cluster('PUT', `/_index_template/${prefix}-stream`, {
      index_patterns: [`${prefix}-stream`],
      data_stream: {},
      template: { settings: { number_of_shards: 2, number_of_replicas: 0 } },
    });
    await aosc.cluster('PUT', `/_data_stream/${prefix}-stream`);
    await makeIndex(`${prefix}-full`, 2);
    await aosc.cluster('PUT', `/${prefix}-full/_doc/1`, { unrefreshed: true });
    await makeIndex(`${prefix}-blocked`, 2, blocked);
    const mappings = (_source: object) => ({ mappings: { _source } });
    await makeIndex(`${prefix}-sourceless`, 2, {}, mappings({ enabled: false }));
    await makeIndex(`${prefix}-partial`, 2, {}, mappings({ excludes: ['secret'] }));
    await makeIndex(`${prefix}-derived`, 2, { 'derived_source.enabled': true });
    await makeIndex(`${prefix}-append`, 4, { 'append_only.enabled': true });
    await makeIndex(`${prefix}-three`, 3);
    await makeIndex(`${prefix}-six`, 6);
    await makeIndex(`${prefix}-ring`, 4, { number_of_routing_shards: 1024 });
    await makeIndex(`${prefix}-async`, 2, { 'translog.durability': 'async' });
    await makeIndex(`${prefix}-swapped`, 2, {}, { aliases: { [`${prefix}-there`]: {} } });
    await aosc.cluster('PUT', `/${prefix}-red?wait_for_active_shards=0`, {
      settings: {
        number_of_shards: 2,
        number_of_replicas: 0,
        number_of_routing_shards: 768,
        ...notAllocated,
      },
    });
    before = await countRecords();
  });
  afterEach(async () => {
    expect(await countRecords()).toBe(before);
  });

  const illegal = 'illegal_argument_exception';
  const state = 'illegal_state_exception';
  const body = (parts: object = {}) => ({ target_index: target, alias, ...parts });

  // `from`: the source, where it is another one. Four columns: jest would take a missing fifth for its callback.
  test.each<[string, () => { body: object; from?: string }, string, string]>([
    [
      'no target',
      () => ({ body: { alias } }),
      'action_request_validation_exception',
      '1: target.index is required;',
    ],
    [
      'an unknown source',
      () => ({ body: body(), from: 'nobody' }),
      illegal,
      'source index [nobody] not found',
    ],
    [
      'a source that is an alias',
      () => ({ body: body(), from: alias }),
      illegal,
      `source index [${alias}] not found`,
    ],
    ['a source with a wildcard', () => ({ body: body(), from: `${prefix}-*` }), illegal, 'not found'],
    [
      'a source in capitals',
      () => ({ body: body(), from: 'BOOKS' }),
      illegal,
      'source index [BOOKS] not found',
    ],
    [
      'an unknown target',
      () => ({ body: body({ target_index: 'nobody' }) }),
      illegal,
      'target index [nobody] not found',
    ],
    [
      'a closed source',
      () => ({ body: body(), from: `${prefix}-closed` }),
      state,
      `source index [${prefix}-closed] is closed`,
    ],
    [
      'a closed target',
      () => ({ body: body({ target_index: `${prefix}-closed` }) }),
      state,
      'is closed; open it first',
    ],
    [
      'BULK_API without consent',
      () => ({ body: body({ target_index: `${prefix}-three` }) }),
      illegal,
      'Non-multiple shard migration (2 → 3 shards) cannot safely preserve documents with custom routing.',
    ],
    [
      'a read-only source',
      () => ({ body: body({ alias: `${prefix}-a` }), from: `${prefix}-readonly` }),
      state,
      `source index [${prefix}-readonly] is blocked by [index.blocks.read_only]; remove the block first`,
    ],
    [
      'a hidden source that the operator has not allowed',
      () => ({ body: body({ alias: `${prefix}-new` }), from: '.kibana' }),
      'action_request_validation_exception',
      'source index [.kibana] is hidden, it begins with a dot: the operator can allow it in AOSC_HIDDEN_INDICES',
    ],
    [
      'the records of the service, as target',
      () => ({ body: body({ target_index: '.aosc-migrations' }) }),
      'action_request_validation_exception',
      'target index [.aosc-migrations] is a name of the service itself',
    ],
    [
      "a source that is a data stream's backing index",
      () => ({ body: body({ alias: `${prefix}-new` }), from: `.ds-${prefix}-stream-000001` }),
      state,
      `source index [.ds-${prefix}-stream-000001] is a backing index of data stream [${prefix}-stream], which can't have an alias`,
    ],
    [
      "a target that is a data stream's backing index",
      () => ({ body: body({ target_index: `.ds-${prefix}-stream-000001` }) }),
      state,
      `target index [.ds-${prefix}-stream-000001] is a backing index of data stream [${prefix}-stream]`,
    ],
    [
      'a data stream',
      () => ({ body: body(), from: `${prefix}-stream` }),
      illegal,
      `source index [${prefix}-stream] not found`,
    ],
    [
      'an alias over several indices, the source among them',
      () => ({ body: body({ alias: `${prefix}-over-two` }), from: `${prefix}-readonly` }),
      state,
      `alias [${prefix}-over-two] already exists on unrelated index(es)`,
    ],
    [
      'a target without primaries',
      () => ({ body: body({ target_index: `${prefix}-red` }) }),
      state,
      'has unready primaries (0/2 active); wait for all primaries to start',
    ],
    [
      'an alias of another index',
      () => ({ body: body({ alias: `${prefix}-elsewhere` }) }),
      state,
      'already exists on unrelated index(es); remove it first or choose a different alias',
    ],
    [
      'an alias that is there already',
      () => ({ body: body({ target_index: `${prefix}-swapped`, alias: `${prefix}-there` }) }),
      state,
      'already points to target index',
    ],
    [
      'an alias that is an index',
      () => ({ body: body({ alias: `${prefix}-other` }) }),
      state,
      'conflicts with an existing concrete index of the same name',
    ],
    [
      'a mistyped alias',
      () => ({ body: body({ alias: `${prefix}-alais` }) }),
      state,
      `alias [${prefix}-alais] is not on source index [${source}], whose aliases are [${alias}] -> did you mean [${alias}]?`,
    ],
    [
      'an alias of a source that has none',
      () => ({
        body: body({ alias: `${prefix}-first`, target_index: `${prefix}-six` }),
        from: `${prefix}-three`,
      }),
      state,
      `alias [${prefix}-first] is not on source index [${prefix}-three], which has no alias`,
    ],
    ['an alias that can be none', () => ({ body: body({ alias: 'a*' }) }), state, 'is not a valid name'],
    [
      'another ring of routing shards',
      () => ({ body: body({ target_index: `${prefix}-ring` }) }),
      state,
      'recreate the target index with index.number_of_routing_shards=768',
    ],
    [
      'a target that does not sync',
      () => ({ body: body({ target_index: `${prefix}-async` }) }),
      state,
      'could lose writes it has acknowledged',
    ],
    [
      'a blocked target',
      () => ({ body: body({ target_index: `${prefix}-blocked` }) }),
      state,
      'is blocked by [index.blocks.write]',
    ],
    [
      'a source that keeps no _source',
      () => ({ body: body({ alias: `${prefix}-new` }), from: `${prefix}-sourceless` }),
      state,
      "can't be copied whole: its mapping's [_source] is disabled",
    ],
    [
      'a source that builds its _source from fields',
      () => ({ body: body({ alias: `${prefix}-new` }), from: `${prefix}-derived` }),
      state,
      'has [index.derived_source.enabled] set to [true]: it does not keep [_source]',
    ],
    [
      'a target that takes no ids',
      () => ({ body: body({ target_index: `${prefix}-append` }) }),
      state,
      'has [index.append_only.enabled] set to [true]: it takes no document with an id of its own',
    ],
    [
      'a source that keeps a part of _source',
      () => ({ body: body({ alias: `${prefix}-new` }), from: `${prefix}-partial` }),
      state,
      "can't be copied whole: its mapping's [_source] includes or excludes some fields only",
    ],
    [
      'a target that keeps no _source',
      () => ({ body: body({ target_index: `${prefix}-sourceless` }) }),
      state,
      "would not keep the documents whole: its mapping's [_source] is disabled",
    ],
    [
      'a target that keeps a part of _source',
      () => ({ body: body({ target_index: `${prefix}-partial` }) }),
      state,
      "would not keep the documents whole: its mapping's [_source] includes or excludes some fields only",
    ],
    [
      'two problems at once',
      () => ({ body: body({ target_index: `${prefix}-blocked`, alias: 'a*' }) }),
      state,
      'alias [a*] is not a valid name: the swap at the end would be refused; target index',
    ],
    [
      'a transform that does not compile',
      () => ({ body: body({ transform_script: { type: 'inline', source: 'ctx._id = ' } }) }),
      illegal,
      "Transform script can't be compiled or run: ",
    ],
    [
      'a target with one document that no refresh has shown',
      () => ({ body: body({ target_index: `${prefix}-full` }) }),
      state,
      'is not empty (1 docs); use an empty target index',
    ],
    [
      'a validation query that is none',
      () => ({ body: body({ options: { validation_query: { no_such_query: {} } } }) }),
      illegal,
      `validation_query failed on index [${source}]: `,
    ],
  ])('%s', async (_, request, type, phrase) => {
    const { body: sent, from } = request();
    expect(await start(sent, from)).toEqual(errorLike(400, type, phrase));
  });
});

describe('a dry run of a start', () => {
  const check = (body: object, from = source) =>
    aosc.api('POST', `/_plugins/_aosc/${encodeURIComponent(from)}/_start?dry_run=true`, body);
  const reasonsOf = ({ body }: { body: unknown }): readonly string[] =>
    (body as { error: { root_cause: { reason: string }[] } }).error.root_cause.map(({ reason }) => reason);
  const some = (phrase: string) => expect.stringContaining(phrase) as string;

  test('says what would be, and changes nothing', async () => {
    const before = await listRecords();
    expect(await check({ target_index: target, alias })).toEqual({
      status: 200,
      body: {
        dry_run: true,
        source_index: source,
        target_index: target,
        alias,
        shard_routing_mode: 'SPLIT_SHARD',
      },
    });
    expect(await listNewRecords(before)).toEqual([]);
    await expectUntouched([target]);
  });

  test('tells every refusal at once', async () => {
    const to = `${prefix}-all-at-once`;
    await makeIndex(to, 3, { 'translog.durability': 'async' });
    await aosc.cluster('PUT', `/${to}/_doc/1`, { here: true });
    const before = await listRecords();
    const refused = await check({
      target_index: to,
      alias: `${prefix}-alais`,
      transform_script: { type: 'inline', source: 'ctx._id = ' },
      options: { doc_count_tolerance: -1, validation_query: { no_such_query: {} } },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { status: 400, error: { type: 'action_request_validation_exception' } },
    });
    expect(reasonsOf(refused)).toEqual([
      some('doc_count_tolerance must be >= 0, got -1'),
      some('Non-multiple shard migration (2 → 3 shards)'),
      some('could lose writes it has acknowledged'),
      some("Transform script can't be compiled or run"),
      some('is not empty (1 docs)'),
      some('unknown query [no_such_query]'),
      some(`alias [${prefix}-alais] is not on source index [${source}]`),
    ]);
    expect(await listNewRecords(before)).toEqual([]);
  });

  test('sends a query that it refuses nowhere', async () => {
    const long = { no_such_query: 'x'.repeat(256 * 1024) };
    const refused = await check({ target_index: target, alias, options: { validation_query: long } });
    expect(reasonsOf(refused)).toEqual([some('it is longer than 262144 characters')]);
  });

  test('goes on with the source where the target is missing', async () => {
    const refused = await check({ target_index: 'nobody', alias: `${prefix}-alais` });
    expect(reasonsOf(refused)).toEqual(['target index [nobody] not found', some(`did you mean [${alias}]?`)]);
  });

  test('asks an index whose primaries are away nothing more', async () => {
    const refused = await check({ target_index: `${prefix}-red`, alias });
    expect(reasonsOf(refused)).toEqual([some('has unready primaries (0/2 active)')]);
  });
});

describe('a start that is accepted', () => {
  test('is answered, seen by status and list, wakes the schedulers, excludes others, and can be cancelled', async () => {
    const { cluster_uuid: clusterUuid } = (await aosc.cluster('GET', '/')) as { cluster_uuid: string };
    let woken: (key: string) => void = () => undefined;
    const wokenKey = new Promise<string>((resolve) => (woken = resolve));
    const scheduler = createConsumer({
      redisUrl: stack?.redisUrl ?? '',
      prefix: aosc.prefix,
      clusterUuid,
      queue: advanceQueue,
      concurrency: 1,
      lockDurationMs: 15_000,
      stalledCheckMs: 5_000,
      onError: () => undefined,
      handle: (payload) => {
        woken(parseAdvanceJob(payload).key);
        return Promise.resolve({ type: 'done' });
      },
    });

    const started = await start({
      target_index: target,
      alias,
      options: { validation_query: { match_all: {} } },
    });
    expect(started).toEqual({
      status: 200,
      body: {
        migration_id: expect.stringMatching(new RegExp(`^${source}__${target}__\\d{13}$`)) as string,
        accepted: true,
      },
    });
    const { migration_id: id } = started.body as { migration_id: string };
    expect(await wokenKey).toBe(migrationKey(id));
    await scheduler.close(0);

    expect(await aosc.api('GET', `/_plugins/_aosc/${source}/_status`)).toMatchObject({
      status: 200,
      body: {
        migration_id: id,
        phase: 'ACTIVE',
        shard_routing_mode: 'SPLIT_SHARD',
        options: {
          doc_count_tolerance: 0,
          validation_query: { match_all: {} },
          transient_target_settings: { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' },
        },
        shards: { '0': { phase: 'PENDING' }, '1': { phase: 'PENDING' } },
      },
    });
    expect(await aosc.api('GET', '/_plugins/_aosc/_list?status=active&size=500')).toMatchObject({
      status: 200,
      body: {
        migrations: expect.arrayContaining([
          expect.objectContaining({ migration_id: id, phase: 'ACTIVE', is_terminal: false }),
        ]) as unknown,
      },
    });

    const path = `/_plugins/_aosc/${source}/_status`;
    const { headers } = await aosc.send(path, {});
    const unchanged = await aosc.send(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect(unchanged).toMatchObject({ status: 304, body: undefined });

    const conflict = (phrase: string) => errorLike(409, 'illegal_state_exception', phrase);
    const another = { target_index: `${prefix}-three`, alias };
    expect(await start(another)).toEqual(
      conflict(`Active migration already exists for source index: ${source}`),
    );
    expect(await start({ target_index: target, alias: `${prefix}-new` }, `${prefix}-full`)).toEqual(
      conflict(`Active migration already exists for target index: ${target}`),
    );

    const cancel = () => aosc.api('POST', `/_plugins/_aosc/${source}/_cancel`);
    expect(await cancel()).toEqual({ status: 200, body: { accepted: true, phase: 'CANCELLING' } });
    expect(await cancel()).toEqual({ status: 200, body: { accepted: true, phase: 'CANCELLING' } });

    const stored = await aosc.store.readMigration(migrationKey(id), aosc.call);
    if (stored === undefined) throw new Error('the record is gone');
    // As a host has written it whose clock was ahead.
    const startTimeMillis = stored.record.startTimeMillis + 600_000;
    const ended = { ...stored.record, startTimeMillis, phase: 'CANCELLED' } as const;
    await aosc.store.replaceMigration(stored, ended, aosc.call);
    expect(await cancel()).toEqual(
      conflict(`Cannot cancel migration for [${source}] — migration is already in terminal phase: CANCELLED`),
    );
    const again = await start({ target_index: target, alias });
    expect(again).toMatchObject({
      status: 200,
      body: { migration_id: `${source}__${target}__${startTimeMillis + 1}` },
    });
    const { migrations } = await aosc.store.listMigrations({ sourceIndex: source, size: 1 }, aosc.call);
    expect(migrations.map(({ migrationId }) => migrationId)).toEqual([
      `${source}__${target}__${startTimeMillis + 1}`,
    ]);
  });

  test('of 50 at once for one source, one, and nothing is left of the others', async () => {
    const from = `${prefix}-race-s`;
    const targets = [`${prefix}-race-t0`, `${prefix}-race-t1`];
    await makeIndex(from, 3);
    for (const name of targets) await makeIndex(name, 3);
    const before = await listRecords();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        start(
          { target_index: targets[at % 2], alias: `${prefix}-race`, options: { create_alias: true } },
          from,
        ),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expect(refused).toEqual(
        errorLike(409, 'illegal_state_exception', 'Active migration already exists for'),
      );
    }
    expect(await listNewRecords(before)).toEqual(['claim', 'claim', 'migration', 'shard', 'shard', 'shard']);
    const { migration_id: id } = accepted[0]?.body as { migration_id: string };
    expect((await aosc.store.readMigration(migrationKey(id), aosc.call))?.record.phase).toBe('ACTIVE');
    await expectUntouched([from, ...targets]);
  });

  test('of 10 sources at once into one target, one, and nothing is left of the others', async () => {
    const to = `${prefix}-many-t`;
    const sources = Array.from({ length: 10 }, (_, at) => `${prefix}-many-s${at}`);
    for (const name of [to, ...sources]) await makeIndex(name, 1);
    const before = await listRecords();
    const answers = await Promise.all(
      sources.map((from) =>
        start({ target_index: to, alias: `${from}-alias`, options: { create_alias: true } }, from),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expect(refused).toEqual(
        errorLike(409, 'illegal_state_exception', `Active migration already exists for target index: ${to}`),
      );
    }
    expect(await listNewRecords(before)).toEqual(['claim', 'claim', 'migration', 'shard']);
    await expectUntouched([to, ...sources]);
  });

  test('with consent, BULK_API; identity is no transform; an alias that the swap shall create', async () => {
    const [from, to] = [`${prefix}-bulk-s`, `${prefix}-bulk-t`];
    await makeIndex(from, 3);
    await makeIndex(to, 2);
    const body = {
      target_index: to,
      alias: `${prefix}-Nowhere`,
      transform_script: { type: 'inline', source: 'identity' },
      options: { accept_data_loss_if_custom_routing_is_used: true, create_alias: true },
    };
    expect((await start(body, from)).status).toBe(200);
    const status = await aosc.api('GET', `/_plugins/_aosc/${from}/_status`);
    expect(status.body).toMatchObject({ shard_routing_mode: 'BULK_API', options: { create_alias: true } });
    expect(status.body).not.toHaveProperty('transform_script');
    expect(status.body).not.toHaveProperty('aliases_left_behind');
  });

  test('names the aliases that the swap leaves on the source, and so does the status', async () => {
    const [from, to] = [`${prefix}-read-write-s`, `${prefix}-read-write-t`];
    const [read, write] = [`${prefix}-read`, `${prefix}-write`];
    await makeIndex(from, 1, {}, { aliases: { [write]: { is_write_index: true }, [read]: {} } });
    await makeIndex(to, 1);
    expect(await start({ target_index: to, alias: write }, from)).toMatchObject({
      status: 200,
      body: { accepted: true, aliases_left_behind: [read] },
    });
    expect(await aosc.api('GET', `/_plugins/_aosc/${from}/_status`)).toMatchObject({
      body: {
        alias: write,
        aliases_left_behind: [read],
        options: expect.not.objectContaining({ create_alias: expect.anything() as unknown }) as unknown,
      },
    });
  });
});

test('more points in time than a node allows: refused with the value that is needed, which is enough', async () => {
  const [from, to] = [`${prefix}-room-s`, `${prefix}-room-t`];
  await makeIndex(from, 3);
  await makeIndex(to, 3);
  const limit = (value: number | null) =>
    aosc.cluster('PUT', '/_cluster/settings', { persistent: { 'search.max_open_pit_context': value } });
  const body = { target_index: to, alias: `${prefix}-room`, options: { create_alias: true } };
  // What other tests have started would count.
  await aosc.api('POST', '/_plugins/_aosc/_admin/_clear_state?dry_run=false');
  const before = await countRecords();
  try {
    // Its node goes on counting the point in time of an index that is deleted.
    await makeIndex(`${prefix}-room-gone`, 8);
    await aosc.cluster('POST', `/${prefix}-room-gone/_search/point_in_time?keep_alive=5m`);
    await aosc.cluster('DELETE', `/${prefix}-room-gone`);
    await aosc.cluster('POST', `/${prefix}-room-s/_search/point_in_time?keep_alive=5m&preference=_shards:0`);
    await limit(6);
    expect(await start(body, from)).toEqual(
      errorLike(
        400,
        'illegal_state_exception',
        'set the cluster setting [search.max_open_pit_context] to at least [7]',
      ),
    );
    expect(await countRecords()).toBe(before);
    await limit(7);
    expect((await start(body, from)).status).toBe(200);
    // What runs has not opened anything yet, and its room is kept.
    const next = {
      target_index: `${prefix}-room-t2`,
      alias: `${prefix}-room2`,
      options: { create_alias: true },
    };
    await makeIndex(`${prefix}-room-t2`, 1);
    await makeIndex(`${prefix}-room-s2`, 1);
    expect(await start(next, `${prefix}-room-s2`)).toEqual(
      errorLike(
        400,
        'illegal_state_exception',
        '(2 for this migration, 6 for those that run, 1 open of others)',
      ),
    );
  } finally {
    await limit(null);
    await aosc.cluster('DELETE', '/_search/point_in_time/_all');
    await aosc.api('POST', '/_plugins/_aosc/_admin/_clear_state?dry_run=false');
  }
});
