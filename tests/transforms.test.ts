import {
  callJson,
  compareIndices,
  createSourceIndex,
  createTargetIndex,
  describeMismatches,
  type ExpectedTransform,
  findLeftovers,
  type LoadedDocument,
  loadDocuments,
  type MakeDocument,
  sendChecked,
  startMigration,
  startWriters,
  terminalPhases,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { migrationKey } from '@aosc/store';
import { type Environment, startEnvironment, until } from './support/environment';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ workers: 2 });
});
afterAll(() => environment.stop());

const call = (method: 'PUT' | 'DELETE', path: string, body?: object) =>
  callJson(environment.http, (answer) => answer, method, path, body);

const makeSource: MakeDocument = (_random, { id, revision }) =>
  JSON.stringify({ key: id, revision, group: `g${revision % 3}` });

function* numbered(count: number): Generator<LoadedDocument> {
  for (let n = 0; n < count; n++) {
    yield {
      id: `loaded-${n}`,
      source: JSON.stringify({ key: `loaded-${n}`, revision: n, group: `g${n % 3}` }),
    };
  }
}

interface Case {
  readonly name: string;
  readonly script: Readonly<Record<string, unknown>>;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly expected: ExpectedTransform;
}

const cases: readonly Case[] = [
  {
    name: 'stored',
    script: { type: 'stored', id: 'add-label', params: { label: 'x' } },
    shown: {
      type: 'stored',
      id: 'add-label',
      params: { label: 'x' },
      script_context: 'update',
      apply_to_deletes: false,
    },
    expected: ({ source, ...identity }) => ({
      ...identity,
      source: { ...source, label: `x${String(source['key'])}` },
    }),
  },
  {
    name: 'moving',
    script: {
      type: 'inline',
      source: "ctx._id = ctx._source.group + '/' + ctx._id; ctx._source.moved = true",
    },
    shown: { type: 'inline', script_context: 'update', apply_to_deletes: false },
    expected: ({ id, routing, source }) => ({
      id: `${String(source['group'])}/${id}`,
      routing,
      source: { ...source, moved: true },
    }),
  },
];

test.each(cases)(
  'a migration with a transform ($name) under writes is exact, and leaves nothing behind',
  async ({ name, script, shown, expected }) => {
    const { http, urls, apiUrl } = environment;
    const [source, target, alias] = [`${name}-v1`, `${name}-v2`, name];
    const stored = {
      script: { lang: 'painless', source: 'ctx._source.label = params.label + ctx._source.key' },
    };
    await call('PUT', '/_scripts/add-label', stored);
    await createSourceIndex(http, { name: source, alias, shards: 2, routingShards: 16 });
    await createTargetIndex(http, { name: target, shards: 4, routingShards: 16 });
    await loadDocuments(http, alias, numbered(5_000));
    const writers = startWriters({
      urls,
      alias,
      rate: 200,
      makeDocument: makeSource,
      makePartial: makeSource,
      adopt: [...numbered(5_000)].map(({ id }) => id),
    });
    try {
      await until('writes of every kind', () => writers.stats().recreations > 0);
      const id = await startMigration(apiUrl, { source, target, alias, transformScript: script });
      // What it was at the start counts, whatever becomes of it.
      await call('PUT', '/_scripts/add-label', { script: { lang: 'painless', source: 'ctx._source = [:]' } });
      const written = writers.stats().operations;
      await waitForStatus(
        apiUrl,
        source,
        ({ shards }) =>
          Object.values(shards).every(({ convergence }) => (convergence?.operations_applied ?? 0) > 20) ||
          writers.stats().operations > written + 2_000,
        'operations that were replayed',
      );
      // After the swap the applications would write documents that no transform has seen.
      await writers.stop();
      const { phase, error_message: reason } = await waitForPhase(apiUrl, source, terminalPhases);
      expect({ phase, reason }).toEqual({ phase: 'COMPLETED' });
      const status = await sendChecked(apiUrl, `/_plugins/_aosc/${source}/_status`, {});
      expect(status.body).toMatchObject({ transform_script: shown });
      const { mismatches, judgedBySource } = await compareIndices({
        urls,
        source,
        target,
        transform: expected,
      });
      expect(describeMismatches(mismatches)).toEqual([]);
      expect(judgedBySource).toBeGreaterThan(4_000);
      const key = migrationKey(id);
      expect(await findLeftovers({ urls, source, target, key, writeBlockExpected: true })).toEqual([]);
    } finally {
      await writers.stop();
    }
  },
);

describe('a start is refused, and writes nothing, when its transform', () => {
  const [source, target, alias] = ['refused-v1', 'refused-v2', 'refused'];
  beforeAll(async () => {
    const { http } = environment;
    await createSourceIndex(http, { name: source, alias, shards: 1 });
    await createTargetIndex(http, { name: target, shards: 1 });
    await loadDocuments(http, alias, numbered(3));
    await call('PUT', '/_scripts/mustache', { script: { lang: 'mustache', source: '{{a}}' } });
  });

  const inline = (text: string, more: object = {}) => ({ type: 'inline', source: text, ...more });

  test.each<readonly [string, object, RegExp]>([
    ['is not stored', { type: 'stored', id: 'nobody' }, /^Stored script \[nobody\] not found: /],
    [
      'is not Painless',
      { type: 'stored', id: 'mustache' },
      /^Stored script \[mustache\] has the language \[mustache\]/,
    ],
    [
      'does not compile',
      inline('ctx._source.a = ;'),
      /compile error; .*script stack: ctx\._source\.a = ; \^---- HERE/,
    ],
    [
      'calls what is not there',
      inline('ctx._source.a = foo(1)'),
      /compile error; illegal_argument_exception: Unknown call \[foo\].*script stack: /,
    ],
    [
      'lacks a parameter',
      inline('ctx._source.a = params.factor * 2'),
      /^Transform script dry-run failed \(check that transform_script\.params includes all params.*document "loaded-\d".*script stack: .*params\.factor/,
    ],
    [
      'fails on a document of the source',
      inline('ctx._source.a = ctx._source.nothing.there'),
      /^Transform script dry-run failed .*null_pointer_exception.*script stack: /,
    ],
    [
      'drops documents',
      inline("ctx.op = 'delete'"),
      /dry-run failed .*ctx\.op to something else: only \[index\]/,
    ],
    [
      'is of another context',
      inline('1', { script_context: 'ingest' }),
      /^Unknown transform script_context \[ingest\]/,
    ],
    [
      'builds ids by the clock',
      inline('ctx._id = "a" + ctx._now'),
      /names _id or _routing and uses \[_now\]/,
    ],
    ['builds ids by chance', inline('ctx._id = UUID.randomUUID().toString()'), /uses \[randomUUID\(\]/],
  ])('%s', async (_, script, reason) => {
    const before = await recordCount();
    const { status, body } = await sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/_start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target_index: target, alias, transform_script: script }),
    });
    expect(body).toMatchObject({ error: { type: 'illegal_argument_exception' }, status: 400 });
    expect((body as { error: { reason: string } }).error.reason).toMatch(reason);
    expect(status).toBe(400);
    expect(await recordCount()).toBe(before);
    expect(await findLeftovers({ urls: environment.urls, source, target })).toEqual([]);
  });

  test('is compiled only, where the source is empty', async () => {
    await createSourceIndex(environment.http, { name: 'empty-v1', alias: 'empty', shards: 1 });
    await createTargetIndex(environment.http, { name: 'empty-v2', shards: 1 });
    const start = { source: 'empty-v1', target: 'empty-v2', alias: 'empty' };
    const wrong = startMigration(environment.apiUrl, { ...start, transformScript: inline('nothing(') });
    await expect(wrong).rejects.toThrow('compile error');
    await startMigration(environment.apiUrl, { ...start, transformScript: inline('ctx._source.a.b = 1') });
    const { phase } = await waitForPhase(environment.apiUrl, start.source, terminalPhases);
    expect(phase).toBe('COMPLETED');
  });
});

async function recordCount(): Promise<unknown> {
  const { http } = environment;
  await callJson(http, (answer) => answer, 'POST', '/.aosc-migrations/_refresh');
  const answer = await callJson(
    http,
    (found) => found as { count: number },
    'GET',
    '/.aosc-migrations/_count',
  );
  return answer.count;
}
