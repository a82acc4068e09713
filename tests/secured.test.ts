import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  callJson,
  callRaw,
  createHttpClient,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  sendChecked,
} from '@aosc/testkit';
import { withApi } from './support/api-in-process';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean, expectWholePath } from './support/expectations';
import { removeIndices, runMigration } from './support/scenario';
import {
  certificateFile,
  putRole,
  putUser,
  readDocumentedRole,
  type Role,
  serviceUser,
  withUser,
} from './support/secured-cluster';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ secured: true });
});
afterAll(() => environment.stop());

/** The names in the role of the documentation. */
const [source, target, alias] = ['orders-v1', 'orders-v2', 'orders'] as const;
const role = readDocumentedRole();

/** Dynamic: what the documents hold makes new mappings in the target, but for what would not fit. */
const mappings = { properties: { nested: { type: 'object', enabled: false }, figure: { type: 'double' } } };

test('with TLS, basic credentials and the documented role a migration is complete and exact', async () => {
  const result = await runMigration(environment, {
    name: alias,
    source: { shards: 2, routingShards: 16 },
    target: { shards: 4, routingShards: 16, mappings, settings: { 'index.refresh_interval': '7s' } },
    documents: 3_000,
    options: { remove_source_write_block_on_success: true },
  });
  expectClean(result);
  expectWholePath(result.status);
  // The role lacks nothing that a write hold needs. On a slow machine it may be left out for the time that it would take.
  const { withoutHold = 'predicted' } = await result.migration.record();
  expect(withoutHold).toMatch(/predicted|were undone/);
  await removeIndices(environment, result.migration);
});

describe('a start', () => {
  beforeAll(async () => {
    const { http } = environment;
    await createSourceIndex(http, { name: source, shards: 2, alias });
    await createTargetIndex(http, { name: target, shards: 2 });
    await callJson(http, (answer) => answer, 'PUT', `/${target}/_doc/1?refresh=true`, { not: 'empty' });
  });
  afterAll(async () => {
    await putRole(environment.http, serviceUser.name, role);
    await deleteIndices(environment.http, [source, target]);
  });

  /** The last check that fails here; who gets as far as that passed those of the user. */
  const passed = `target index [${target}] is not empty`;

  async function refusalWith(changed: Role): Promise<string> {
    await putRole(environment.http, serviceUser.name, changed);
    // Who may not close a point in time leaves the trial's one open until it expires.
    const withPoints = [source, target].every((index) => mayClosePoints(changed, index));
    // Such a one of a test before would expire in the middle of this one.
    await callRaw(environment.http, { method: 'DELETE', path: '/_search/point_in_time/_all' });
    const before = await readState(withPoints);
    const { status, body } = await start(environment.apiUrl);
    expect(await readState(withPoints)).toEqual(before);
    expect(status).toBe(400);
    return reasonOf(body);
  }

  test('that lacks nothing is not held up', async () => {
    expect(await refusalWith(role)).toContain(passed);
  });

  const optional = ['cluster:monitor/tasks/lists', 'cluster:admin/reroute'];
  test('goes on without the permissions that are optional', async () => {
    expect(await refusalWith(without(role, optional))).toContain(passed);
  });

  // Every second one at a time: some can't be missed while another is missing, e.g. closing what can't be opened.
  const halves = [0, 1].map((half) => (names: readonly string[]) => names.filter((_, at) => at % 2 === half));
  const needed = role.cluster_permissions.filter((permission) => !optional.includes(permission));
  test.each(halves.map((half) => half(needed)))('without %s and more names them', async (...permissions) => {
    const reason = await refusalWith(without(role, permissions));
    expect(reason).toContain(`OpenSearch user [${serviceUser.name}] of the service lacks permissions: `);
    expect(namedIn(reason, 'on the cluster')).toEqual(expect.arrayContaining(permissions));
  });

  const places = role.index_permissions.flatMap(({ index_patterns: patterns, allowed_actions: actions }) =>
    halves.map((half) => ({ pattern: patterns.join(), actions: half(actions) })),
  );
  test.each(places.filter(({ actions }) => actions.length > 0))(
    'without $actions on $pattern names them and the index',
    async ({ pattern, actions }) => {
      const reason = await refusalWith(without(role, actions, pattern));
      const named = namedIn(reason, `on index [${pattern}]`);
      expect(
        actions.filter(
          (action) => !named.includes(action.replace('*', '')) && !named.includes(action.replace('*', '[s]')),
        ),
      ).toEqual([]);
    },
  );

  const rules = [
    ['document-level security', { dls: '{"term":{"key":"visible"}}' }],
    ['field-level security', { fls: ['~a-field-that-no-mapping-has'] }],
    ['masked fields', { masked_fields: ['a-field-that-no-mapping-has'] }],
  ] as const;
  const hidden = rules.flatMap(([what, rule]) =>
    [source, target, '.aosc-migrations'].map((index) => ({ what, rule, index })),
  );
  test.each(hidden)('of a user with $what on $index is refused', async ({ rule, index }) => {
    const reason = await refusalWith({
      ...role,
      index_permissions: role.index_permissions.map((entry) =>
        entry.index_patterns.includes(index) ? { ...entry, ...rule } : entry,
      ),
    });
    expect(reason).toContain('document-level security, field-level security or masked fields are active');
    expect(reason).toContain(`OpenSearch user [${serviceUser.name}] of the service on index [${index}]`);
  });
});

describe("what the service's user may not be used for", () => {
  beforeAll(async () => {
    await createSourceIndex(environment.http, { name: source, shards: 1, alias });
    await createTargetIndex(environment.http, { name: target, shards: 1 });
  });
  afterAll(() => deleteIndices(environment.http, [source, target]));

  test.each<[string, string, object, string]>([
    ['its own records as source', '.aosc-migrations', {}, 'is a name of the service itself'],
    ['an index of the security plugin', '.opendistro_security', {}, 'is hidden, it begins with a dot'],
    [
      'its own records as target',
      source,
      { target_index: '.aosc-migrations' },
      'a name of the service itself',
    ],
    ['a fence as alias', source, { alias: 'aosc-fence-x-0-1' }, 'a name of the service itself'],
  ])('%s: refused before the cluster is asked', async (_, from, part, phrase) => {
    const { status, body } = await sendChecked(environment.apiUrl, `/_plugins/_aosc/${from}/_start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target_index: target, alias, ...part }),
    });
    expect({ status, reason: reasonOf(body) }).toEqual({
      status: 400,
      reason: expect.stringContaining(phrase) as string,
    });
  });
});

test("the service's user can write nothing into the source, although it may ask for updates", async () => {
  await createSourceIndex(environment.http, { name: source, shards: 1, alias });
  const asService = createHttpClient(withUser(environment.stack.openSearchUrls, serviceUser));
  try {
    await callJson(environment.http, (answer) => answer, 'PUT', `/${source}/_doc/1?refresh=true`, { a: 1 });
    const upsert = JSON.stringify({ doc: { a: 2 }, doc_as_upsert: true });
    const update = JSON.stringify({ doc: { a: 2 } });
    const line = '{"index":{"_id":"1"}}\n{"a":2}\n';
    const attempts = [
      await asService.send({ method: 'POST', path: `/${source}/_update/1`, body: update }),
      await asService.send({ method: 'POST', path: `/${source}/_update/2`, body: upsert }),
      await asService.send({ method: 'PUT', path: `/${source}/_doc/2`, body: '{"a":2}' }),
      await asService.send({ method: 'DELETE', path: `/${source}/_doc/1` }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const bulk = { body: line, contentType: 'application/x-ndjson' } as const;
    const { body } = await asService.send({ method: 'POST', path: `/${source}/_bulk`, ...bulk });
    expect(JSON.parse(body.toString())).toMatchObject({ items: [{ index: { status: 403 } }] });
    const read = await environment.http.send({ method: 'GET', path: `/${source}/_search?version=true` });
    expect(JSON.parse(read.body.toString())).toMatchObject({
      hits: { total: { value: 1 }, hits: [{ _id: '1', _version: 1, _source: { a: 1 } }] },
    });
  } finally {
    asService.close();
    await deleteIndices(environment.http, [source]);
  }
});

describe('what keeps the service out is reported with what to do', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['a wrong password', { AOSC_OPENSEARCH_USERNAME: 'nobody' }, 'check AOSC_OPENSEARCH_USERNAME and'],
    ['an unknown authority', { AOSC_OPENSEARCH_CA: '' }, 'set AOSC_OPENSEARCH_CA to the authority'],
    ['a user without any permission', { AOSC_OPENSEARCH_USERNAME: 'idle' }, 'lacks permissions: [cluster:'],
  ])('%s', async (_, env, phrase) => {
    await putUser(environment.http, 'idle', serviceUser.password, []);
    const { body, status } = await startOnAnother(env);
    expect(reasonOf(body)).toContain(phrase);
    expect(reasonOf(body)).not.toContain(serviceUser.password);
    expect([400, 503]).toContain(status);
  });

  /** An API in this process, with a configuration that is not right. */
  async function startOnAnother(env: Readonly<Record<string, string>>) {
    const passwordFile = join(dirname(environment.stack.logFolder), 'password-of-another');
    writeFileSync(passwordFile, serviceUser.password, { mode: 0o600 });
    return withApi(
      {
        AOSC_OPENSEARCH_URL: environment.stack.openSearchUrls.join(),
        AOSC_REDIS_URL: environment.stack.redisUrl,
        AOSC_OPENSEARCH_CA: certificateFile,
        AOSC_OPENSEARCH_USERNAME: serviceUser.name,
        AOSC_OPENSEARCH_PASSWORD_FILE: passwordFile,
        ...env,
      },
      start,
    );
  }
});

function start(apiUrl: string) {
  return sendChecked(apiUrl, `/_plugins/_aosc/${source}/_start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ target_index: target, alias }),
  });
}

function reasonOf(body: unknown): string {
  expect(body).toMatchObject({ error: { reason: expect.any(String) as string } });
  return (body as { error: { reason: string } }).error.reason;
}

/** Operations, settings, aliases and mappings of both indices, and the service's records: what a start may not change. */
async function readState(withPoints: boolean): Promise<readonly unknown[]> {
  const { http } = environment;
  const ask = (path: string) => callJson(http, (answer) => answer, 'GET', path);
  const points = withPoints ? ',indices.*.primaries.search.point_in_time_current' : '';
  const filter = `filter_path=indices.*.shards.seq_no${points}`;
  // The installation's own record is renewed all the time.
  const records = '/.aosc-migrations/_search?size=100&seq_no_primary_term=true&filter_path=hits.hits';
  return Promise.all([
    ask(`/${source},${target}`),
    ask(`/${source},${target}/_stats/indexing,search?level=shards&${filter}`),
    ask(`${records}&q=NOT%20_id:installation`),
  ]);
}

/** The role without some permissions. @param pattern where: left out, on the cluster */
function without(from: Role, permissions: readonly string[], pattern?: string): Role {
  const keep = (name: string): boolean => !permissions.includes(name);
  if (pattern === undefined) return { ...from, cluster_permissions: from.cluster_permissions.filter(keep) };
  return {
    ...from,
    index_permissions: from.index_permissions
      .map((entry) =>
        entry.index_patterns.join() === pattern
          ? { ...entry, allowed_actions: entry.allowed_actions.filter(keep) }
          : entry,
      )
      .filter(({ allowed_actions: actions }) => actions.length > 0),
  };
}

/** The permissions that a reason names at a place. */
function namedIn(reason: string, place: string): readonly string[] {
  const [, parts = ''] = reason.split('lacks permissions: ');
  const part = parts.split('; ').find((text) => text.endsWith(` ${place}`)) ?? '';
  return part.slice(1, part.lastIndexOf('] on ')).split(', ');
}

function mayClosePoints({ index_permissions: entries }: Role, index: string): boolean {
  return entries.some(
    ({ index_patterns: patterns, allowed_actions: actions }) =>
      patterns.includes(index) && actions.includes('indices:data/read/point_in_time/delete'),
  );
}
