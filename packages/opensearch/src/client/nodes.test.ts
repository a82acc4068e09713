import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from './create-client';
import type { NodeConnections } from '@aosc/signals';
import type { ClientOptions, OpenSearchClient } from './request';

/** Nodes that come and go, freeze, and answer late. */
const servers = new Set<Server>();
const clients = new Set<OpenSearchClient>();
const warnings: Error[] = [];
const warn = (warning: Error): number => warnings.push(warning);
beforeEach(() => process.on('warning', warn));

afterEach(async () => {
  process.off('warning', warn);
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  for (const client of clients) await client.close();
  servers.clear();
  clients.clear();
  expect(warnings.splice(0)).toEqual([]);
});

async function listen(answer: RequestListener, port = 0): Promise<number> {
  const server = createServer(answer).listen(port, '127.0.0.1');
  servers.add(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port where no process listens. */
async function freePort(): Promise<number> {
  const port = await listen(() => undefined);
  for (const server of servers) {
    if ((server.address() as AddressInfo).port !== port) continue;
    server.close();
    await once(server, 'close');
    servers.delete(server);
  }
  return port;
}

function connect(ports: readonly number[], options: Partial<ClientOptions> = {}): OpenSearchClient {
  const client = createClient({
    nodes: ports.map((port) => `http://127.0.0.1:${port}`),
    requestTimeoutMs: 3000,
    ...options,
  });
  clients.add(client);
  return client;
}

const { signal } = new AbortController();
const ask = (client: OpenSearchClient, path = '/x'): Promise<string> =>
  client.send({ method: 'GET', path }, { signal }).then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
const askMany = (client: OpenSearchClient, times: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: times }, () => ask(client)));

/** Asks on until it shows, for the client looks after its nodes when it is used. */
async function until(client: OpenSearchClient, isSo: (nodes: readonly NodeConnections[]) => boolean) {
  while (!isSo(client.nodes())) {
    await ask(client);
    await pause(20);
  }
}

const well: RequestListener = (_request, response) => response.end('{"ok":true}');

test('a node that comes back slowly is pinged once at a time, and gives all its connections back', async () => {
  const back = await freePort();
  const client = connect([await listen(well), back]);
  for (let n = 0; n < 4; n += 1) await ask(client);
  expect(client.nodes().map(({ isAway }) => isAway)).toEqual([false, true]);

  let pings = 0;
  let mostPings = 0;
  let pinged = 0;
  await listen((request, response) => {
    if (request.method !== 'HEAD') {
      response.end('{"ok":true}');
      return;
    }
    pinged += 1;
    mostPings = Math.max(mostPings, (pings += 1));
    setTimeout(() => {
      pings -= 1;
      response.end();
    }, 300);
  }, back);
  await until(client, () => pings > 0);
  expect(await askMany(client, 200)).toEqual(Array(200).fill('200'));
  await until(client, (nodes) => nodes.every(({ isAway }) => !isAway));
  expect(mostPings).toBe(1);
  expect(pinged).toBeLessThan(5);
  expect(await askMany(client, 200)).toEqual(Array(200).fill('200'));
  expect(client.nodes().map(({ waiting }) => waiting)).toEqual([0, 0]);
});

test('after one answer that did not come the other nodes are asked, until the frozen one is back', async () => {
  const held: (() => void)[] = [];
  let isFrozen = true;
  const frozen = await listen((request, response) => {
    if (isFrozen) held.push(() => response.end('{}'));
    else well(request, response);
  });
  const client = connect([frozen, await listen(well)], { requestTimeoutMs: 60_000 });
  const impatient = client.send({ method: 'GET', path: '/x' }, { signal, timeoutMs: 300 });
  await expect(impatient).rejects.toThrow('GET /x: no complete answer within 300 ms');
  expect(await askMany(client, 50)).toEqual(Array(50).fill('200'));
  expect(client.nodes().map(({ isAway }) => isAway)).toEqual([true, false]);
  isFrozen = false;
  for (const thaw of held) thaw();
  await until(client, (nodes) => nodes.every(({ isAway }) => !isAway));
});

test('a node that is silent under long requests is found out before they end', async () => {
  const client = connect([await listen(() => undefined), await listen(well)], { requestTimeoutMs: 60_000 });
  const control = new AbortController();
  const hung = client.send({ method: 'GET', path: '/x' }, { signal: control.signal }).catch(() => 'over');
  const early: Promise<unknown>[] = [];
  while (client.nodes()[0]?.isAway !== true) {
    early.push(client.send({ method: 'GET', path: '/x' }, { signal: control.signal }).catch(() => 'over'));
    await pause(50);
  }
  expect(await askMany(client, 20)).toEqual(Array(20).fill('200'));
  control.abort();
  expect(await hung).toBe('over');
  await Promise.all(early);
}, 20_000);

test('the wait for a free connection is bounded by itself, and says so', async () => {
  const port = await listen((request, response) => {
    if (request.method === 'HEAD') response.end();
  });
  const client = connect([port], { requestTimeoutMs: 2000, maxSockets: 2 });
  const answers = await askMany(client, 5);
  expect(answers.toSorted()).toEqual([
    ...Array<string>(3).fill(`GET /x: Error: no free connection to 127.0.0.1:${port} within 1000 ms`),
    ...Array<string>(2).fill('GET /x: no complete answer within 2000 ms'),
  ]);
  await expect(
    Promise.all(Array.from({ length: 3 }, () => client.send({ method: 'GET', path: '/x' }, { signal }))),
  ).rejects.toMatchObject({ kind: 'transient' });
});

test('connections on which nothing comes back are renewed, when the node answers on a fresh one', async () => {
  // A gateway that has lost these connections without a word: it swallows what comes on them.
  const lost = new WeakSet<object>();
  let losesAll = false;
  const port = await listen((request, response) => {
    if (losesAll && request.method !== 'HEAD') lost.add(request.socket);
    if (!lost.has(request.socket)) well(request, response);
  });
  const renewed: string[] = [];
  const client = connect([port], {
    requestTimeoutMs: 200,
    maxSockets: 3,
    onRenewal: (node) => {
      losesAll = false;
      renewed.push(node);
    },
  });
  expect(await askMany(client, 3)).toEqual(Array(3).fill('200'));
  losesAll = true;
  await until(client, ([node]) => node?.renewals === 1);
  expect(renewed).toEqual([`127.0.0.1:${port}`]);
  expect(await askMany(client, 9)).toEqual(Array(9).fill('200'));
});

test('a node with a queue in front of its connections is left to those who have one', async () => {
  const slow: RequestListener = (request, response) => {
    if (request.method === 'HEAD' || request.url === '/x') response.end();
  };
  const client = connect([await listen(slow), await listen(slow)], { maxSockets: 1 });
  const control = new AbortController();
  const hung = [1, 2, 3].map(() =>
    client.send({ method: 'GET', path: '/hangs' }, { signal: control.signal }).catch(() => 'over'),
  );
  // two run, the third waits at the first node: the second has room as soon as its own ends
  expect(client.nodes().map(({ waiting }) => waiting)).toEqual([1, 0]);
  control.abort();
  await Promise.all(hung);
  expect(await ask(client)).toBe('200');
});

test('a node behind a gateway that answers for it is left out, until it is back', async () => {
  let status = 200;
  const gateway = await listen((_request, response) => response.writeHead(status).end('{}'));
  const client = connect([gateway, await listen(well)]);
  for (status of [502, 503, 504]) {
    await until(client, ([node]) => node?.isAway === true);
    expect(await askMany(client, 50)).toEqual(Array(50).fill('200'));
    status = 200;
    await until(client, ([node]) => node?.isAway === false);
  }
}, 30_000);

test('a node that says itself that it can not answer now is not away', async () => {
  const client = connect([
    await listen((request, response) => response.writeHead(request.method === 'HEAD' ? 200 : 503).end()),
  ]);
  expect(new Set(await askMany(client, 50))).toEqual(new Set(['503']));
  expect(client.nodes()).toMatchObject([{ isAway: false, renewals: 0 }]);
});

test('requests that were given up leave the queue at once, and those behind them go on', async () => {
  const client = connect(
    [
      await listen((request, response) => {
        if (request.url !== '/hangs') response.end();
      }),
    ],
    { maxSockets: 1 },
  );
  const [first, others] = [new AbortController(), new AbortController()];
  const hang = (control: AbortController) =>
    client
      .send({ method: 'POST', path: '/hangs', body: 'x' }, { signal: control.signal })
      .catch(() => 'over');
  const hung = [hang(first), hang(others), hang(others), hang(others)];
  const behind = ask(client);
  expect(client.nodes()).toMatchObject([{ waiting: 4 }]);
  others.abort();
  await Promise.all(hung.slice(1));
  await pause(0);
  expect(client.nodes()).toMatchObject([{ waiting: 1 }]);
  first.abort();
  expect(await behind).toBe('200');
  const only = hang(first);
  await only;
  expect(client.nodes()).toMatchObject([{ waiting: 0 }]);
});

test('a handshake that never ends is bounded as the way to the node is', async () => {
  const sockets = new Set<Socket>();
  const silent = createTcpServer((socket) => sockets.add(socket.resume())).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  try {
    const { port } = silent.address() as AddressInfo;
    const client = connect([], { nodes: [`https://127.0.0.1:${port}`], requestTimeoutMs: 1000 });
    expect(await ask(client)).toBe(`GET /x: Error: no connection to 127.0.0.1:${port} within 500 ms`);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
