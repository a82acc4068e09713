import { randomInt, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Stack, startStack } from '@aosc/local-stack';
import {
  callRaw,
  createHttpClient,
  createSourceIndex,
  createTargetIndex,
  type HttpClient,
} from '@aosc/testkit';
import fc from 'fast-check';
import { basic, keyEntry, passwordHash } from './auth/__tests__/credentials';
import { type ApiProcess, startApiProcess } from './__tests__/fuzz/api-process';
import { adminKey, password, readKey, userName, wrongAuthorization } from './__tests__/fuzz/authorization';
import { type ClusterState, readState } from './__tests__/fuzz/cluster-state';
import {
  adminRequest,
  anywhere,
  type FuzzRequest,
  migrationRequest,
  settingsRequest,
  startRequest,
  type Targets,
  validationQuery,
  wronglyCarried,
} from './__tests__/fuzz/fuzz-request';
import { isOfParser, judge } from './__tests__/fuzz/judge';
import { sendRequest, show } from './__tests__/fuzz/send-request';
import { sendBytes, urlPassword, type WireCase, wireCase } from './__tests__/fuzz/wire';

/**
 * Requests that are wrong, hostile or noise. `FUZZ_REQUESTS` says how many (default {@link defaultRequests}), and
 * `FUZZ_SEED` repeats a run: the seed is in the name of each test.
 */
const defaultRequests = 6_000;
const requests = Number(process.env['FUZZ_REQUESTS'] ?? defaultRequests);
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
/** So many are under way at the same moment. */
const atOnce = 6;
/** Two passwords of one address are checked at once, and two wait. */
const busyWithLogins = 429;

jest.setTimeout(300_000 + requests * 50);

const prefix = `fuzz-${randomUUID()}`;
const marker = 'text of a document, and of nothing else';
const secrets = [marker, readKey, adminKey, password, urlPassword, basic(userName, password)];
const targets: Targets = {
  running: `${prefix}-running`,
  filling: `${prefix}-filling`,
  source: `${prefix}-source`,
  full: `${prefix}-full`,
  empty: `${prefix}-empty`,
  get migrationId() {
    return migrationId;
  },
};
let migrationId = '';
let stack: Stack;
let http: HttpClient;
let api: ApiProcess;
let guarded: ApiProcess;
let before: ClusterState;
let slow: readonly Promise<void>[];
let sent = 0;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

beforeAll(async () => {
  stack = await startStack({ nodes: 1 });
  http = createHttpClient(stack.openSearchUrls);
  for (const name of [targets.running, targets.source]) {
    await createSourceIndex(http, { name, shards: 1, alias: `${name}-alias` });
  }
  for (const name of [targets.filling, targets.full, targets.empty]) {
    await createTargetIndex(http, { name, shards: 1 });
  }
  for (const name of [targets.running, targets.source, targets.full]) {
    await callRaw(http, { method: 'PUT', path: `/${name}/_doc/1`, body: JSON.stringify({ title: marker }) });
  }
  api = await startApiProcess(stack, 'api-open');
  guarded = await startApiProcess(stack, 'api-guarded', { AOSC_AUTH_FILE: await writeCredentials() });
  await ask('PUT', '/_cluster/settings', { persistent: { 'aosc.backfill.read.page_size': 7 } });
  const started = await ask('POST', `/_plugins/_aosc/${targets.running}/_start`, {
    target_index: targets.filling,
    alias: `${targets.running}-alias`,
  });
  ({ migration_id: migrationId } = JSON.parse(started.body) as { migration_id: string });
  before = await look();
  slow = slowBeginnings.map((text) => openSlowly(text));
});

afterAll(async () => {
  agent.destroy();
  http.close();
  await guarded.process.stop();
  await api.process.stop();
  await stack.stop();
});

async function writeCredentials(): Promise<string> {
  const path = join(stack.logFolder, 'credentials.json');
  const users = [{ name: userName, password_hash: passwordHash(password), roles: ['admin'] }];
  const keys = [keyEntry(readKey, ['read']), keyEntry(adminKey, ['admin'])];
  const named = keys.map((key, at) => ({ ...key, name: `key-${at}` }));
  await writeFile(path, JSON.stringify({ users, api_keys: named }), { mode: 0o600 });
  return path;
}

/** A request that is right. */
async function ask(method: string, target: string, body?: object) {
  const headers = body === undefined ? [] : [['content-type', 'application/json'] as const];
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await sendRequest(api.url, agent, { method, target, headers, ...content });
  if (answer.status !== 200) throw new Error(`${method} ${target}: ${answer.status} ${answer.body}`);
  return answer;
}

const look = () => readState(http, { redisUrl: stack.redisUrl, prefix: 'fuzz-' });

async function tryRequest(url: string, request: FuzzRequest, statuses?: readonly number[]): Promise<void> {
  const answer = await sendRequest(url, agent, request);
  sent += 1;
  try {
    judge(answer, secrets);
    if (statuses !== undefined && !isOfParser(answer)) expect(statuses).toContain(answer.status);
  } catch (error) {
    throw new Error(`${show(request)}\n${String(error)}`, { cause: error });
  }
}

async function tryBytes(wire: WireCase): Promise<void> {
  const { what, bytes, answers } = wire;
  try {
    const exchanges = await sendBytes(api.url, wire);
    sent += 1;
    for (const exchange of exchanges) judge(exchange, secrets);
    if (answers !== undefined) expect(exchanges).toHaveLength(answers);
  } catch (error) {
    const text = JSON.stringify(Buffer.from(bytes.slice(0, 1_000)).toString('latin1'));
    throw new Error(`${what}: ${text}\n${String(error)}`, { cause: error });
  }
}

/** Sends a share of all requests, some at once; then looks whether anything has changed. */
async function fuzz<T>(
  share: number,
  one: fc.Arbitrary<T>,
  attempt: (value: T) => Promise<void>,
): Promise<void> {
  const numRuns = Math.ceil((requests * share) / atOnce);
  const several = fc.array(one, { minLength: atOnce, maxLength: atOnce });
  const property = fc.asyncProperty(several, async (values) => {
    await Promise.all(values.map((value) => attempt(value)));
  });
  const result = await fc.check(property, { numRuns, seed });
  if (result.failed) {
    throw new Error(
      `FUZZ_SEED=${seed}, path ${result.counterexamplePath ?? '?'}\n${String(result.errorInstance)}`,
    );
  }
  expect(api.process.isRunning() && guarded.process.isRunning()).toBe(true);
  expect(await look()).toEqual(before);
}

/** Requests that are begun and not ended. The server must get rid of them by itself. */
const head = 'POST /_plugins/_aosc/x/_start HTTP/1.1\r\nhost: 127.0.0.1\r\n';
const slowBeginnings = [
  '',
  'GET',
  head,
  `${head}content-length: 100\r\ncontent-type: application/json\r\n\r\n{`,
].flatMap((text) => Array.from({ length: 10 }, () => text));

function openSlowly(text: string): Promise<void> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => text !== '' && socket.write(text));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.resume();
  });
}

describe(`seed ${seed}`, () => {
  test.each<[string, number, (given: Targets) => fc.Arbitrary<FuzzRequest>]>([
    ['starts that are wrong, or right for indices that are in use', 0.28, startRequest],
    ['starts with a validation query that no cluster takes', 0.05, validationQuery],
    ['changes of settings, of which one part is wrong', 0.22, settingsRequest],
    ['clearings that are dry, or of nothing', 0.1, adminRequest],
    ['reads, and cancels that miss', 0.12, migrationRequest],
    ['any method at any path', 0.12, anywhere],
    ['changes that are carried wrongly', 0.06, wronglyCarried],
  ])('%s', async (_, share, requestOf) => {
    await fuzz(share, requestOf(targets), (request) => tryRequest(api.url, request));
  });

  test('bytes that no client would send', async () => {
    await fuzz(0.1, wireCase(targets), tryBytes);
  });

  test('wrong credentials: 401 everywhere, pages of other sites 403 before, and nothing is done', async () => {
    const anyRequest = fc.oneof(migrationRequest(targets), anywhere(), wronglyCarried(targets));
    const withCredentials = fc
      .tuple(anyRequest, wrongAuthorization)
      .map(([request, value]): FuzzRequest => withAuthorization(request, value));
    await fuzz(0.03, withCredentials, (request) => {
      const isOfPage = request.headers.some(([name]) => name === 'origin' || name === 'sec-fetch-site');
      return tryRequest(guarded.url, request, [isOfPage ? 403 : 401, busyWithLogins]);
    });
  });

  test('a reader: what changes something is refused, whatever it is', async () => {
    const path = '/_plugins/_aosc';
    const changes = fc.constantFrom<FuzzRequest>(
      { method: 'POST', target: `${path}/${targets.running}/_cancel`, headers: [] },
      { method: 'POST', target: `${path}/${targets.running}/_cancel/?pretty`, headers: [] },
      { method: 'POST', target: `${path}/_admin/_clear_state?dry_run=false`, headers: [] },
      { method: 'POST', target: `${path}/_admin/_cleanup_leases?dry_run=false&include_active`, headers: [] },
      {
        method: 'PUT',
        target: '/_cluster/settings',
        headers: [['content-type', 'application/json']],
        body: '{"persistent":{"aosc.*":null}}',
      },
    );
    const scheme = fc.constantFrom('ApiKey', 'apikey', 'APIKEY  ');
    const asReader = fc
      .tuple(changes, scheme)
      .map(([request, name]) => withAuthorization(request, `${name} ${readKey}`));
    await fuzz(0.01, asReader, (request) => tryRequest(guarded.url, request, [403]));
  });

  test('afterwards: it works, has kept nothing, and has logged no secret', async () => {
    expect(sent).toBeGreaterThanOrEqual(requests);
    await Promise.all(slow);
    expect((await ask('GET', '/healthz')).body).toMatch(/^\{"ok":true,/);
    const figures = (await ask('GET', '/metrics')).body;
    const [external = Infinity, heap = Infinity] = ['external_memory_bytes', 'heap_size_used_bytes'].map(
      (name) => Number(new RegExp(`^nodejs_${name}\\S* (\\S+)$`, 'm').exec(figures)?.[1]),
    );
    console.log(`seed ${seed}: ${sent} requests; heap ${heap}, external ${external} bytes`);
    expect(external).toBeLessThan(100 * 2 ** 20);
    const alias = `${targets.source}-alias`;
    await ask('POST', `/_plugins/_aosc/${targets.source}/_start`, { target_index: targets.empty, alias });
    for (const { process } of [api, guarded]) {
      const log = await readFile(process.logFile, 'utf8');
      for (const secret of secrets) expect(log.includes(secret)).toBe(false);
      expect(log).not.toMatch(/"level":"error"|unhandled|Warning: /i);
    }
  });
});

function withAuthorization(request: FuzzRequest, value: string): FuzzRequest {
  return { ...request, headers: [...request.headers, ['authorization', value]] };
}
