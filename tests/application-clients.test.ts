import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createParser } from '@aosc/contract';
import {
  callJson,
  createHold,
  createSourceIndex,
  createTargetIndex,
  type HttpFaultProxy,
  startHttpFaultProxy,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { judgeClient, type Moments } from './application-clients/judge';
import { type Client, prepareClients } from './application-clients/prepare';
import { type Command, startWriterProcess, type WriterProcess } from './application-clients/writer-process';
import { type Environment, startEnvironment, until } from './support/environment';
import { readBlocks } from './support/page-blocks';

jest.setTimeout(900_000);

const [source, target, alias] = ['cities-v1', 'cities-v2', 'cities'];
/** Each key written twice, so that there are updates and deletes. */
const writesBefore = 1_200;
/** Few of the keys: the others keep what was written before the swap. */
const writesAfter = 50;

const clients: readonly Client[] = prepareClients();
const available = clients.filter((client) => 'command' in client);

let environment: Environment;
let proxy: HttpFaultProxy;
let answers: Answers;
const writers = new Map<string, WriterProcess>();
const moments = new Map<string, Moments>();
const found = new Map<string, ReadonlyMap<string, number>>();

beforeAll(async () => {
  environment = await startEnvironment({
    connect: async ({ openSearchUrls: [url = ''], redisUrl }) => {
      proxy = await startHttpFaultProxy(url);
      return { openSearchUrls: [proxy.url], redisUrl };
    },
  });
  await environment.keepingLogs(migrateBelowWriters);
});
afterAll(async () => {
  for (const writer of writers.values()) writer.kill();
  await environment.stop();
  await proxy.stop();
});

const call = (method: 'GET' | 'PUT' | 'POST', path: string, body?: object): Promise<unknown> =>
  callJson(environment.http, (answer) => answer, method, path, body);
const setBlock = (value: true | null): Promise<unknown> =>
  call('PUT', `/${source}/_settings`, { 'index.blocks.write': value });

/** Counts of all writers. @returns what `count` grows by, asked later */
function watchAll(count: (writer: WriterProcess) => number): (name: string) => number {
  const before = new Map([...writers].map(([name, writer]) => [name, count(writer)]));
  return (name) => {
    const writer = writers.get(name);
    return writer === undefined ? 0 : count(writer) - (before.get(name) ?? 0);
  };
}

/** Waits for every writer. @throws when one of them has ended */
async function untilAll(what: string, grown: (name: string) => number, least: number): Promise<void> {
  await until(`${what} of every writer`, () => {
    for (const writer of writers.values()) writer.check();
    return [...writers.keys()].every((name) => grown(name) >= least);
  });
}

const writesOf = ({ ledger }: WriterProcess): number => ledger.writes;
const refusalsOf = ({ ledger }: WriterProcess): number => ledger.refusals;

/** A whole migration. The swap is held until each writer has met the block; a block before it is met as well. */
async function migrateBelowWriters(): Promise<void> {
  const { http, apiUrl, writerUrls } = environment;
  await createSourceIndex(http, { name: source, shards: 2, alias });
  // Read at the end by one search for each client.
  await createTargetIndex(http, {
    name: target,
    shards: 4,
    settings: { 'index.max_result_window': 200_000 },
  });
  const [url = ''] = writerUrls;
  for (const { name, command } of available)
    writers.set(name, startWriterProcess(command, { url, alias, prefix: name }));
  await untilAll('writes', watchAll(writesOf), writesBefore);

  const underTheBlock = watchAll(refusalsOf);
  await setBlock(true);
  await untilAll('refusals under the block', underTheBlock, 1);
  answers = await askUnderTheBlock();
  const afterTheBlock = watchAll(writesOf);
  await setBlock(null);
  await untilAll('writes after the block', afterTheBlock, 1);
  const refusalsUnderTheBlock = new Map(available.map(({ name }) => [name, underTheBlock(name)]));

  const swap = createHold<'forward'>();
  proxy.addRule(({ method, path, body }) =>
    method === 'POST' && path.startsWith('/_aliases') && body.includes(JSON.stringify(alias))
      ? { before: swap.wait }
      : undefined,
  );
  const inTheCutover = watchAll(refusalsOf);
  await startMigration(apiUrl, { source, target, alias });
  await until('the swap', () => swap.isReached());
  await untilAll('refusals in the cutover', inTheCutover, 1);
  swap.release('forward');
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  const afterTheSwap = watchAll(writesOf);
  await untilAll('writes after the swap', afterTheSwap, writesAfter);
  for (const writer of writers.values()) await writer.stop();

  await call('POST', `/${target}/_refresh`);
  for (const { name } of available) {
    found.set(name, await readRevisions(name));
    moments.set(name, {
      refusalsUnderTheBlock: refusalsUnderTheBlock.get(name) ?? 0,
      refusalsInTheCutover: inTheCutover(name),
      writesAfterTheSwap: afterTheSwap(name),
    });
  }
}

const parseHits = createParser(
  'answer of a search',
  Type.Object({
    timed_out: Type.Literal(false),
    _shards: Type.Object({ failed: Type.Literal(0) }),
    hits: Type.Object({
      total: Type.Object({ value: Type.Integer() }),
      hits: Type.Array(
        Type.Object({ _id: Type.String(), _source: Type.Object({ revision: Type.Integer() }) }),
      ),
    }),
  }),
);

/** The target's documents of one client. */
async function readRevisions(name: string): Promise<ReadonlyMap<string, number>> {
  const query = { term: { key: name } };
  const body = { query, size: 200_000, track_total_hits: true };
  const { hits } = await callJson(environment.http, parseHits, 'POST', `/${target}/_search`, body);
  expect(hits.hits).toHaveLength(hits.total.value);
  return new Map(hits.hits.map(({ _id: id, _source: { revision } }) => [id, revision]));
}

interface Answers {
  readonly single: unknown;
  readonly item: unknown;
}

const parseBulk = createParser(
  'answer of a bulk',
  Type.Object({ errors: Type.Boolean(), items: Type.Array(Type.Unknown()) }),
);

/** What a client sees: of a single write, and of a write in a bulk. */
async function askUnderTheBlock(): Promise<Answers> {
  const { http } = environment;
  const single = await http.send({ method: 'PUT', path: `/${alias}/_doc/berlin`, body: '{"population":3}' });
  const bulk = await http.send({
    method: 'POST',
    path: `/${alias}/_bulk`,
    contentType: 'application/x-ndjson',
    body: '{"index":{"_id":"berlin"}}\n{"population":3}\n',
  });
  expect({ single: single.status, bulk: bulk.status }).toEqual({ single: 403, bulk: 200 });
  const { errors, items } = parseBulk(JSON.parse(bulk.body.toString('utf8')));
  expect(errors).toBe(true);
  return { single: JSON.parse(single.body.toString('utf8')), item: items[0] };
}

test('the page shows the answers that a client sees under the block', () => {
  const shown = readBlocks('docs/how-to/let-clients-retry.md', 'json').map((text): unknown =>
    JSON.parse(text),
  );
  expect(shown).toEqual([answers.single, answers.item]);
});

/** Answers each bulk as the security plugin does when the user may not write. Counts the writes. */
async function startForbiddingServer() {
  let writes = 0;
  const error = { type: 'security_exception', reason: 'no permissions' };
  const server = createServer((request, answer) => {
    text(request).then(
      (body) => {
        const ids = [...body.matchAll(/^\{"index":/gm)].map((_, at) => String(at));
        writes += ids.length;
        const items = ids.map((id) => ({ index: { _index: alias, _id: id, status: 403, error } }));
        answer.setHeader('content-type', 'application/json');
        answer.end(JSON.stringify({ took: 1, errors: true, items }));
      },
      () => answer.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, writes: () => writes, close: () => server.close() };
}

const nowhere: Moments = { refusalsUnderTheBlock: 0, refusalsInTheCutover: 0, writesAfterTheSwap: 0 };

function testClient(name: string, command: Command): void {
  test('loses no write in a cutover', () => {
    const writer = writers.get(name);
    if (writer === undefined) throw new Error(`${name} was not started`);
    expect(judgeClient(writer.ledger, found.get(name) ?? new Map(), moments.get(name) ?? nowhere)).toEqual(
      [],
    );
  });

  test('does not try again what it lacks the privilege for', async () => {
    const server = await startForbiddingServer();
    const writer = startWriterProcess(command, { url: server.url, alias, prefix: name });
    try {
      await writer.ended;
      expect(writer.ledger).toMatchObject({ writes: 0, refusals: 0 });
      expect(writer.ledger.failed).toHaveLength(10);
      expect(writer.ledger.failed[0]).toContain('security_exception');
      expect(server.writes()).toBe(10);
    } finally {
      writer.kill();
      server.close();
    }
  });
}

for (const client of clients) {
  describe(client.name, () => {
    if ('command' in client) testClient(client.name, client.command);
    else test.skip(`can't be had on this machine: ${client.missing}`, () => undefined);
  });
}
