import { createServer, type Server as TcpServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { createParser } from '@aosc/contract';
import type { Server, ServiceProcess } from '@aosc/local-stack';
import { systemIndex } from '@aosc/store';
import { callJson, callRaw, createHttpClient } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { untilGreen } from './support/allocation';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { countConnectionsTo } from './support/process-sockets';
import { type Migration, removeIndices, runMigration } from './support/scenario';

jest.setTimeout(900_000);

const askersOfTheApi = 24;
const askersOfOthers = 4;
/** Requests of the service while its ping of the frozen node is under way. */
const askedMeanwhile = 60;
const answerMs = 15_000;
/** A process at rest needs no more; idle ones close after half a minute. */
const fewConnections = 8;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: [
      { name: 'lasting', roles: ['cluster_manager', 'data', 'ingest'], heapMb: 512 },
      { name: 'returning', roles: ['data', 'ingest'], heapMb: 512 },
    ],
    lastingNodes: 1,
  });
});
afterAll(() => environment.stop());

test('a node is killed, and comes back slowly, under many requests: no connection to it is lost for good', async () => {
  const scenario = {
    name: 'slow-return',
    source: { shards: 2, replicas: 1, routingShards: 8 },
    target: { shards: 4, replicas: 1, routingShards: 8 },
    documents: 3_000,
    options: heldConvergence,
  };
  const told: unknown[] = [];
  const result = await runMigration(environment, scenario, async (migration) => {
    await untilConverging(migration);
    for (const silently of [false, true, false]) told.push(await goAndReturn(migration, silently));
    await freezeLong(migration);
    await letConverge(migration);
  });
  expectClean(result, 'repeated');

  for (const process of processes()) {
    await until(
      `few connections of ${process.name}`,
      async () => (await connections(process)) <= fewConnections,
    );
    const answers = await askInTurn(process, 40);
    expect({ process: process.name, answers: [...new Set(answers)] }).toEqual({
      process: process.name,
      answers: [200],
    });
    await until(`${process.name} to tell the connections that it has`, async () => {
      const { opensearch } = await health(process);
      const all = await Promise.all(environment.stack.nodes.map((node) => connections(process, node)));
      return opensearch.connections === all.reduce((sum, each) => sum + each, 0);
    });
    expect((await health(process)).opensearch).toMatchObject({ nodes: 2, away: 0, waiting: 0 });
    expect(await awayByMetric(process)).toBe(0);
  }
  const isAway = { health: 1, metric: 1 };
  expect(told).toEqual([isAway, isAway, isAway]);
  await removeIndices(environment, result.migration);
});

function returning(): Server {
  const [, node] = environment.stack.nodes;
  if (node === undefined) throw new Error('there is no second node');
  return node;
}

const portOf = ({ url }: Server): number => Number(new URL(url).port);

function processes(): readonly ServiceProcess[] {
  const { api, schedulers, workers } = environment.service;
  return [api, ...schedulers, ...workers].filter((each) => each.isRunning());
}

const connections = ({ pid }: ServiceProcess, node = returning()): Promise<number> =>
  countConnectionsTo(pid, portOf(node));

/**
 * The node is killed, and started again; before it answers anything, the processes have asked it.
 * @param silently while it is away, its port accepts connections and nothing answers
 * @returns what the API says of it while it is away
 */
async function goAndReturn(migration: Migration, silently: boolean): Promise<unknown> {
  const { api } = environment.service;
  const node = returning();
  await untilGreen(environment.http, migration.source, systemIndex);
  await node.kill();
  // One after the other: each process finds out by itself.
  for (const process of processes()) await askInTurn(process, 6);
  const askers = processes().map((process) => keepAsking(process));
  const pid = api.pid;
  try {
    const away = { health: (await health(api)).opensearch.away, metric: await awayByMetric(api) };
    if (silently) {
      const silent = await listenSilently(portOf(node));
      await until('a request to the silent port', () => silent.accepted() > 0);
      await silent.close();
    }
    await node.restart();
    node.pause();
    try {
      await until(
        'a connection to the frozen node',
        async () => (await countConnectionsTo(pid, portOf(node))) > 0,
      );
      const [asker] = askers;
      const before = asker?.answered() ?? 0;
      await until('requests meanwhile', () => (asker?.answered() ?? 0) >= before + askedMeanwhile);
    } finally {
      node.resume();
    }
    return away;
  } finally {
    await Promise.all(askers.map((asker) => asker.stop()));
  }
}

/** The node is a member that answers nothing, for as long as it takes the processes to go on without it. */
async function freezeLong(migration: Migration): Promise<void> {
  const node = returning();
  await untilGreen(environment.http, migration.source, systemIndex);
  const askers = processes().map((process) => keepAsking(process));
  node.pause();
  try {
    for (const asker of askers) {
      await until('a process to go on without the frozen node', () => asker.inARow() >= askedMeanwhile);
    }
  } finally {
    node.resume();
    await Promise.all(askers.map((asker) => asker.stop()));
  }
}

interface Silent {
  readonly accepted: () => number;
  close(): Promise<void>;
}

/** Accepts, and never answers: as a port forwarder does, or a node that has not come up yet. */
async function listenSilently(port: number): Promise<Silent> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server: TcpServer = createServer((socket) => {
    accepted += 1;
    sockets.add(socket.on('error', () => undefined));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    accepted: () => accepted,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Asker {
  readonly answered: () => number;
  /** good answers since the last bad one */
  readonly inARow: () => number;
  stop(): Promise<void>;
}

/** Many ask whether the process is ready: each answer costs it a request to OpenSearch. */
function keepAsking(process: ServiceProcess): Asker {
  const http = createHttpClient([originOf(process)]);
  const ending = new AbortController();
  let answered = 0;
  let inARow = 0;
  const ask = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const status = await askOnce(http);
      answered += 1;
      inARow = status === 200 ? inARow + 1 : 0;
    }
  };
  const askers = process === environment.service.api ? askersOfTheApi : askersOfOthers;
  const running = Promise.all(Array.from({ length: askers }, ask));
  return {
    answered: () => answered,
    inARow: () => inARow,
    async stop() {
      ending.abort();
      await running;
      http.close();
    },
  };
}

async function askInTurn(process: ServiceProcess, times: number): Promise<readonly number[]> {
  const http = createHttpClient([originOf(process)]);
  const answers: number[] = [];
  for (let n = 0; n < times; n += 1) answers.push(await askOnce(http));
  http.close();
  return answers;
}

const askOnce = (http: ReturnType<typeof createHttpClient>): Promise<number> =>
  http.send({ method: 'GET', path: '/readyz', timeoutMs: answerMs }).then(
    ({ status }) => status,
    () => 0,
  );

function originOf({ name, readyUrl }: ServiceProcess): string {
  if (readyUrl === undefined) throw new Error(`${name} has no address`);
  return new URL(readyUrl).origin;
}

const parseHealth = createParser(
  'answer of /healthz',
  Type.Object({
    opensearch: Type.Object({
      nodes: Type.Integer(),
      away: Type.Integer(),
      connections: Type.Integer(),
      waiting: Type.Integer(),
    }),
  }),
);

async function health(process: ServiceProcess) {
  const http = createHttpClient([originOf(process)]);
  try {
    return await callJson(http, parseHealth, 'GET', '/healthz');
  } finally {
    http.close();
  }
}

/** Of `aosc_opensearch_node_away`, for the node that comes back. */
async function awayByMetric(process: ServiceProcess): Promise<number> {
  const http = createHttpClient([originOf(process)]);
  try {
    const text = (await callRaw(http, { method: 'GET', path: '/metrics' })).toString();
    const { host } = new URL(returning().url);
    const lines = text.matchAll(/^aosc_opensearch_node_away\{([^}]*)\} (\d+)$/gm);
    const [, , value] = [...lines].find(([, labels = '']) => labels.includes(`node="${host}"`)) ?? [];
    if (value === undefined) throw new Error(`${process.name} tells nothing of ${host}`);
    return Number(value);
  } finally {
    http.close();
  }
}
