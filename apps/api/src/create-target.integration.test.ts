import { randomUUID } from 'node:crypto';
import { type Stack, startStack } from '@aosc/local-stack';
import { callRaw, createHttpClient } from '@aosc/testkit';
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
  stack = await startStack({ nodes: 1 });
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
    await aosc.cluster('DELETE', `/_index_template/${prefix}-template`);
    await aosc.cluster('DELETE', `/${prefix}-*?expand_wildcards=all`);
    await aosc.close();
  }
  await stack?.stop();
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
  await aosc.cluster('PUT', `/_index_template/${prefix}-template`, {
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
