import { randomUUID } from 'node:crypto';
import type { Stack } from '@aosc/local-stack';
import { borrowStack, callRaw, createHttpClient } from '@aosc/testkit';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `t-${randomUUID()}`;
const source = `${prefix}-source`;
const create = (body: object, query = '', from = source) =>
  aosc.api('POST', `/_plugins/_aosc/${encodeURIComponent(from)}/_create_target${query}`, body);

const mappings = {
  properties: {
    title: { type: 'text', analyzer: 'folded' },
    year: { type: 'integer' },
    at: { type: 'date' },
  },
};

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.cluster('PUT', `/${source}`, {
    settings: {
      number_of_shards: 2,
      number_of_replicas: 0,
      'index.sort.field': ['year', 'at'],
      'index.sort.order': ['asc', 'desc'],
      analysis: { analyzer: { folded: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] } } },
    },
    mappings,
    aliases: { [`${prefix}-alias`]: { filter: { term: { year: 2000 } } } },
  });
  await aosc.cluster('PUT', `/${source}/_settings`, { 'index.blocks.write': true });
});
afterAll(async () => {
  if (stack !== undefined) {
    await aosc.cluster('DELETE', `/${prefix}-*?expand_wildcards=all`);
    await aosc.forgetMigrations();
    await aosc.close();
  }
  await stack?.stop();
});

const templates: string[] = [];
/** Stores a template, which goes with its test. */
async function template(path: string, body: object): Promise<void> {
  templates.unshift(path);
  await aosc.cluster('PUT', path, body);
}
afterEach(async () => {
  for (const path of templates.splice(0)) await aosc.cluster('DELETE', path);
});

async function exists(index: string): Promise<boolean> {
  const found = (await aosc.cluster('GET', `/_cat/indices/${prefix}-*?format=json&expand_wildcards=all`)) as {
    index: string;
  }[];
  return found.some(({ index: name }) => name === index);
}

test('a dry run shows what would be created, and creates nothing', async () => {
  const target = `${prefix}-dry`;
  const { status, body } = await create({ target_index: target, number_of_shards: 4 }, '?dry_run=true');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    dry_run: true,
    created: false,
    shard_routing_mode: 'SPLIT_SHARD',
    definition: { settings: { 'index.number_of_shards': '4', 'index.sort.field': ['year', 'at'] }, mappings },
    changes_truncated: false,
    left_out: [{ setting: 'index.blocks.write' }],
    aliases: [{ name: `${prefix}-alias`, properties: { filter: { term: { year: 2000 } } } }],
  });
  expect(await exists(target)).toBe(false);
});

test('a target is created like its source, and a start takes it', async () => {
  const target = `${prefix}-made`;
  const { status, body } = await create({
    target_index: target,
    number_of_shards: 4,
    settings: { 'index.refresh_interval': '5s' },
    mappings: { properties: { title: { fields: { raw: { type: 'keyword' } } } } },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ created: true, dry_run: false });
  const { changes } = body as { changes: { path: string }[] };
  expect(changes).toEqual(
    expect.arrayContaining([
      { path: 'settings.index.blocks.write', source: 'true' },
      { path: 'settings.index.number_of_shards', source: '2', target: '4' },
      { path: 'settings.index.refresh_interval', target: '5s' },
      { path: 'mappings.properties.title.fields', target: { raw: { type: 'keyword' } } },
    ]),
  );
  await aosc.cluster('PUT', `/${source}/_settings`, { 'index.blocks.write': null });
  const start = { target_index: target, alias: `${prefix}-alias` };
  const started = await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, start);
  expect(started).toMatchObject({ status: 200, body: { accepted: true } });
  expect(await create({ target_index: target })).toEqual(
    errorLike(409, 'illegal_state_exception', 'exists already, and nothing is changed in it'),
  );
});

test('the diff after a creation has what a template has added', async () => {
  const target = `${prefix}-by-template`;
  await template(`/_index_template/${prefix}-template`, {
    index_patterns: [target],
    template: { settings: { 'index.max_result_window': 5 }, mappings: { _meta: { by: 'template' } } },
  });
  const { body } = await create({ target_index: target });
  const { changes } = body as { changes: { path: string }[] };
  expect(changes).toEqual(
    expect.arrayContaining([
      { path: 'settings.index.max_result_window', target: '5' },
      { path: 'mappings._meta', target: { by: 'template' } },
    ]),
  );
});

test('a dry run tells what a template would add, and a component of it', async () => {
  const target = `${prefix}-dry-template`;
  await template(`/_component_template/${prefix}-component`, {
    template: { mappings: { properties: { added: { type: 'keyword' }, title: { type: 'keyword' } } } },
  });
  await template(`/_index_template/${prefix}-template`, {
    index_patterns: [target],
    composed_of: [`${prefix}-component`],
    template: { settings: { 'index.default_pipeline': 'elsewhere' } },
  });
  const { body } = await create({ target_index: target }, '?dry_run=true');
  const { changes } = body as { changes: { path: string }[] };
  expect(changes).toContainEqual({ path: 'settings.index.default_pipeline', target: 'elsewhere' });
  expect(changes).toContainEqual({ path: 'mappings.properties.added', target: { type: 'keyword' } });
  expect(changes.map(({ path }) => path)).not.toContain('mappings.properties.title.type');
  await create({ target_index: target });
  const made = (await create({ target_index: target }, '?dry_run=true')).status;
  expect(made).toBe(409);
});

describe('a template that would put an alias on source and target', () => {
  const live = `${prefix}-live`;
  const gives = (alias: string) => ({ template: { aliases: { [alias]: {} } } });

  test.each<[string, (target: string) => Promise<void>]>([
    [
      'of its own',
      (target) => template(`/_index_template/${prefix}-a`, { index_patterns: [target], ...gives(live) }),
    ],
    [
      'by a component',
      async (target) => {
        await template(`/_component_template/${prefix}-alias`, gives(live));
        const body = { index_patterns: [`${target}*`], composed_of: [`${prefix}-alias`] };
        await template(`/_index_template/${prefix}-a`, body);
      },
    ],
    [
      'by its legacy form',
      (target) => template(`/_template/${prefix}-a`, { index_patterns: [target], aliases: { [live]: {} } }),
    ],
  ])('%s: refused with its name, in a dry run, too', async (_, store) => {
    const target = `${prefix}-with-alias`;
    await store(target);
    for (const query of ['?dry_run=true', '']) {
      const refused = errorLike(400, 'illegal_state_exception', `index template [${prefix}-a] would give`);
      expect(await create({ target_index: target }, query)).toEqual(refused);
    }
    expect(await exists(target)).toBe(false);
  });

  test('of a lower priority counts for nothing', async () => {
    const target = `${prefix}-priorities`;
    await template(`/_index_template/${prefix}-low`, {
      index_patterns: [target],
      priority: 1,
      ...gives(live),
    });
    await template(`/_index_template/${prefix}-high`, { index_patterns: [target], priority: 2 });
    await template(`/_template/${prefix}-old`, { index_patterns: [target], aliases: { [live]: {} } });
    expect(await create({ target_index: target })).toMatchObject({ status: 200 });
  });

  test('for every index spares a hidden one', async () => {
    await template(`/_template/${prefix}-all`, { index_patterns: ['*'], aliases: { [live]: {} } });
    const target = `${prefix}-hidden`;
    const plain = await create({ target_index: target });
    expect(plain).toMatchObject({ status: 400 });
    const settings = { 'index.hidden': true };
    expect(await create({ target_index: target, settings })).toMatchObject({ status: 200 });
    const found = (await aosc.cluster('GET', `/${target}/_alias`)) as Record<string, { aliases: object }>;
    expect(found[target]?.aliases).toEqual({});
  });

  test('that makes data streams alone is told before the creation', async () => {
    const target = `${prefix}-of-stream`;
    await template(`/_index_template/${prefix}-a`, { index_patterns: [target], data_stream: {} });
    expect(await create({ target_index: target }, '?dry_run=true')).toEqual(
      errorLike(400, 'illegal_state_exception', `index template [${prefix}-a] makes`),
    );
  });
});

test('a star tree is left out together with append-only, and a start refuses a target that has one', async () => {
  const from = `${prefix}-append-only`;
  const config = {
    ordered_dimensions: [{ name: 'status' }, { name: 'port' }],
    metrics: [{ name: 'size', stats: ['sum'] }],
  };
  const fields = { status: { type: 'integer' }, port: { type: 'integer' }, size: { type: 'integer' } };
  const definition = {
    settings: { number_of_replicas: 0, 'index.composite_index': true, 'index.append_only.enabled': true },
    mappings: { composite: { tree: { type: 'star_tree', config } }, properties: fields },
    aliases: { [`${from}-alias`]: {} },
  };
  await aosc.cluster('PUT', `/${from}`, definition);
  const target = `${from}-target`;
  const { status, body } = await create({ target_index: target }, '', from);
  expect(status).toBe(200);
  const { left_out: leftOut } = body as { left_out: { setting: string }[] };
  expect(leftOut.map(({ setting }) => setting).toSorted()).toEqual([
    'index.append_only.enabled',
    'index.composite_index',
    'mappings.properties.tree',
  ]);
  const made = (await aosc.cluster('GET', `/${target}`)) as Record<string, { mappings: object }>;
  expect(made[target]?.mappings).toEqual({ properties: fields });

  // As OpenSearch shows it, and takes it without looking.
  const shown = (await aosc.cluster('GET', `/${from}`)) as Record<
    string,
    { mappings: { properties: object } }
  >;
  const brought = {
    target_index: `${target}-2`,
    mappings: { properties: { ...shown[from]?.mappings.properties } },
  };
  expect(await create(brought, '', from)).toEqual(
    errorLike(400, 'illegal_argument_exception', "[mappings.properties.tree] can't be in a target"),
  );
  await aosc.cluster('PUT', `/${target}-3`, {
    settings: { number_of_replicas: 0, 'index.composite_index': true },
    mappings: shown[from]?.mappings,
  });
  const start = { target_index: `${target}-3`, alias: `${from}-alias` };
  expect(await aosc.api('POST', `/_plugins/_aosc/${from}/_start`, start)).toEqual(
    errorLike(
      400,
      'illegal_state_exception',
      '[index.composite_index] set to [true]: its star trees count wrongly',
    ),
  );
});

test('what can not be created is refused, and nothing is left of it', async () => {
  const alias = `${prefix}-alias`;
  const target = `${prefix}-refused`;
  const unknown = await create({ target_index: target }, '', `${prefix}-nobody`);
  expect(unknown).toEqual(errorLike(400, 'illegal_argument_exception', 'not found'));
  const byAlias = await create({ target_index: target }, '', alias);
  expect(byAlias).toEqual(errorLike(400, 'illegal_argument_exception', 'not found'));
  const wrong = { target_index: target, mappings: { properties: { year: { type: 'nonsense' } } } };
  expect(await create(wrong)).toEqual(
    errorLike(400, 'illegal_argument_exception', 'OpenSearch refuses to create'),
  );
  expect(await create({ target_index: alias })).toEqual(
    errorLike(400, 'illegal_argument_exception', 'OpenSearch refuses to create'),
  );
  expect(await exists(target)).toBe(false);
});

test('a mapping with a number that reading changes is not copied', async () => {
  const exact = `${prefix}-exact`;
  const body = '{"mappings":{"properties":{"n":{"type":"long","null_value":9007199254740993}}}}';
  const http = createHttpClient(stack?.openSearchUrls ?? []);
  // `JSON.stringify` would round it.
  await callRaw(http, { method: 'PUT', path: `/${exact}-2`, body });
  http.close();
  expect(await create({ target_index: `${exact}-3` }, '', `${exact}-2`)).toEqual(
    errorLike(400, 'illegal_state_exception', '9007199254740993'),
  );
});
