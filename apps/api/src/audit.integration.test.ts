import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { type AuditedAction, roles } from '@aosc/contract';
import { commandRedis, type Stack, waitUntil } from '@aosc/local-stack';
import { borrowStack } from '@aosc/testkit';
import { basic, keyEntry, passwordHash } from './auth/__tests__/credentials';
import { sha256 } from './auth/secret-hash';
import { useServers } from './__tests__/server-under-test';

jest.setTimeout(600_000);

const { start, write } = useServers();
let stack: Stack;
let url: string;
let readLog: () => string;
const prefix = `u-${randomUUID()}`;
const [source, target] = [`${prefix}-s`, `${prefix}-t`];

beforeAll(async () => {
  stack = await borrowStack();
});
afterAll(async () => {
  // No worker takes the job of a verification that was asked for.
  const drop = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
  await commandRedis(stack.redisUrl, ['EVAL', drop, '0', `${prefix}:*`]);
  await stack.stop();
});
beforeEach(async () => {
  const file = write(
    'auth.json',
    JSON.stringify({
      users: [{ name: 'admin', password_hash: passwordHash('s3cret'), roles: ['admin'] }],
      api_keys: roles.map((role) => keyEntry(role, [role])),
    }),
  );
  chmodSync(file, 0o600);
  const server = await start({
    AOSC_OPENSEARCH_URL: stack.openSearchUrls.join(','),
    AOSC_REDIS_URL: stack.redisUrl,
    AOSC_QUEUE_PREFIX: prefix,
    AOSC_AUTH_FILE: file,
    AOSC_API_RATE_PER_SECOND: '0',
  });
  url = server.url;
  let text = '';
  readLog = () => (text += String(server.log.read() ?? ''));
});

const plugin = '/_plugins/_aosc';

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const content = body && { body: JSON.stringify(body) };
  const type = body && { 'content-type': 'application/json' };
  // eslint-disable-next-line no-restricted-globals -- what counts is the audit log
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: 'ApiKey admin', ...type, ...headers },
    ...content,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** The audit lines from the first on, once there are so many: a line is written when its answer has gone out. */
async function auditLines(count: number): Promise<readonly Record<string, unknown>[]> {
  const read = () =>
    readLog()
      .split('\n')
      .filter((line) => line.includes('"event":"audit"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await waitUntil(() => Promise.resolve(read().length >= count), {
    what: `${count} audit lines`,
    timeoutMs: 20_000,
    endedBy: [],
  });
  return read();
}

const hash = (text: string): `sha256$${string}` => `sha256$${sha256(text).toString('hex')}`;
const anyMigration = expect.stringContaining(`${source}__${target}__`) as string;
const script = { type: 'inline', source: 'ctx._source.a = 1', params: { a: 1 } };
const scriptNotes = {
  scriptType: 'inline',
  scriptHash: hash(script.source),
  scriptParamsHash: hash('{"a":1}'),
} as const;
const setting = 'aosc.overload.max_consecutive_failures';

interface Row {
  readonly ask: () => ReturnType<typeof ask>;
  /** all of them */
  readonly notes: object;
}

/** In the order in which they are done. An action that is missing does not compile. */
const rows: Readonly<Record<AuditedAction, Row>> = {
  sign_in: {
    ask: () => ask('POST', `${plugin}/_session`),
    notes: { sessionUntilMillis: expect.any(Number) as number },
  },
  sign_out: { ask: () => ask('DELETE', `${plugin}/_session`), notes: { wasSignedIn: false } },
  create_target: {
    ask: () =>
      ask('POST', `${plugin}/${source}/_create_target`, { target_index: target, number_of_shards: 1 }),
    notes: { dryRun: false, targetIndex: target, shardCount: 1, created: true },
  },
  preview_transform: {
    ask: () => ask('POST', `${plugin}/${source}/_preview_transform`, { transform_script: script }),
    notes: { ...scriptNotes, documents: 0 },
  },
  plan: {
    ask: () => ask('POST', `${plugin}/${source}/_plan`, { target_index: target, alias: prefix }),
    notes: {
      targetIndex: target,
      alias: prefix,
      plan: expect.stringMatching(/^1\./) as string,
      verdict: expect.any(String) as string,
    },
  },
  start: {
    ask: () =>
      ask('POST', `${plugin}/${source}/_start`, {
        target_index: target,
        alias: prefix,
        transform_script: script,
        options: {
          doc_count_tolerance: 3,
          validation_query: { match_all: {} },
          on_document_error: 'set_aside',
        },
      }),
    notes: {
      ...scriptNotes,
      dryRun: false,
      targetIndex: target,
      alias: prefix,
      queryHash: hash('{"match_all":{}}'),
      options: { doc_count_tolerance: 3, on_document_error: 'set_aside' },
      migration: anyMigration,
    },
  },
  change_settings: {
    ask: async () => {
      await ask('PUT', '/_cluster/settings', { transient: { [setting]: 7 } });
      return ask('PUT', '/_cluster/settings', { transient: { 'aosc.*': null } });
    },
    notes: {
      persistent: [],
      transient: ['aosc.*'],
      applied: { persistent: {}, transient: {} },
      reset: { persistent: [], transient: [setting] },
    },
  },
  cutover: {
    ask: () => ask('POST', `${plugin}/${source}/_cutover`, { postpone: true }),
    notes: { order: 'postponed', migration: anyMigration, phase: expect.any(String) as string },
  },
  verify: {
    ask: () => ask('POST', `${plugin}/${source}/_verify`, { repair: false }),
    notes: { migration: anyMigration },
  },
  retry_set_aside: {
    ask: () => ask('POST', `${plugin}/${source}/_set_aside/_retry`),
    notes: { migration: anyMigration, documents: 0 },
  },
  cancel: {
    ask: () => ask('POST', `${plugin}/${source}/_cancel`),
    notes: { migration: anyMigration, phase: 'CANCELLING' },
  },
  cleanup_leases: {
    ask: () => ask('POST', `${plugin}/_admin/_cleanup_leases?dry_run=false&index=${source}`),
    notes: {
      dryRun: false,
      index: source,
      includeActive: false,
      found: 0,
      released: 0,
      failed: 0,
      leases: [],
    },
  },
  clear_state: {
    ask: async () => {
      await ask('POST', `${plugin}/_admin/_clear_state`);
      return ask('POST', `${plugin}/_admin/_clear_state?dry_run=false`);
    },
    notes: {
      dryRun: false,
      tryClose: true,
      undo: true,
      migration: null,
      found: 1,
      cleared: [anyMigration],
      failed: [],
    },
  },
};

test('each action says what was asked for and what was done', async () => {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  // eslint-disable-next-line no-restricted-globals -- an index, beside the API
  await fetch(`${stack.openSearchUrls[0] ?? ''}/${source}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ settings, aliases: { [prefix]: {} } }),
  });
  for (const [action, row] of Object.entries(rows)) {
    const { status, body } = await row.ask();
    expect([action, status, body]).toEqual([action, 200, expect.anything()]);
  }
  const lines = await auditLines(Object.keys(rows).length + 2);
  for (const [action, { notes }] of Object.entries(rows)) {
    const line = lines.findLast((one) => one['action'] === action);
    expect(line).toMatchObject({ who: 'admin', whoKind: 'api_key', outcome: 'done', status: 200 });
    const {
      timestamp: _at,
      level: _level,
      message: _message,
      app: _app,
      event: _event,
      action: _action,
      outcome: _outcome,
      status: _status,
      method: _method,
      path: _path,
      index: _index,
      who: _who,
      whoKind: _kind,
      remoteAddress: _from,
      ...said
    } = line ?? {};
    // The index of an action that names one in its path is the line's own.
    expect([action, { ...('index' in notes && { index: line?.['index'] }), ...said }]).toEqual([
      action,
      notes,
    ]);
  }
  const dryRun = lines.find((one) => one['action'] === 'clear_state');
  expect(dryRun).toMatchObject({ dryRun: true, migration: null, found: 1, cleared: [], failed: [] });
});

test('who is refused for its token is named, and a user is no key of the same name', async () => {
  const user = basic('admin', 's3cret');
  const signIn = await ask('POST', `${plugin}/_session`, undefined, { authorization: user });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  // eslint-disable-next-line no-restricted-globals -- what counts is the audit log
  const refused = await fetch(`${url}${plugin}/_admin/_clear_state?dry_run=false`, {
    method: 'POST',
    headers: { cookie },
  });
  expect(refused.status).toBe(403);
  await ask('GET', `${plugin}/_list`, undefined, { authorization: basic('admin', 'wrong') });
  await ask('POST', `${plugin}/_session`);
  const lines = await auditLines(4);
  expect(lines).toMatchObject([
    { action: 'sign_in', who: 'admin', whoKind: 'user' },
    { action: 'clear_state', outcome: 'refused', status: 403, who: 'admin', whoKind: 'user' },
    { action: 'authenticate', outcome: 'refused', status: 401, who: 'admin', whoKind: 'user' },
    { action: 'sign_in', who: 'admin', whoKind: 'api_key' },
  ]);
});
