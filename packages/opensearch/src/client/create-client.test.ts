import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from './create-client';
import type { RequestTrace } from '@aosc/signals';
import type { OpenSearchClient } from './request';

/** A peer that misbehaves in one way: what a proxy or a dying node does to a connection. */
const open: { server: Server; client: OpenSearchClient }[] = [];

async function connect(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: {
    maxResponseBytes?: number;
    requestTimeoutMs?: number;
    userInfo?: string;
    trace?: RequestTrace;
  } = {},
): Promise<OpenSearchClient> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { userInfo = '', ...rest } = options;
  const client = createClient({ nodes: [`http://${userInfo}127.0.0.1:${port}`], ...rest });
  open.push({ server, client });
  return client;
}

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    server.closeAllConnections();
    server.close();
    await client.close();
  }
});

const get = { method: 'GET', path: '/a' } as const;
const call = () => ({ signal: new AbortController().signal });

test.each([
  ['with a length', true],
  ['in chunks', false],
])('an answer %s comes as one buffer, whatever its status', async (_name, withLength) => {
  const body = Buffer.from('{"error":"ü"}'.repeat(20_000));
  const client = await connect((_request, response) => {
    response.writeHead(503, withLength ? { 'content-length': body.length } : {});
    response.write(body.subarray(0, 70_001));
    response.end(body.subarray(70_001));
  });
  const answer = await client.send(get, call());
  expect(answer.status).toBe(503);
  expect(answer.body.equals(body)).toBe(true);
});

test('method, query, body, content type and X-Opaque-Id are sent', async () => {
  const client = await connect((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'content-type': type, 'x-opaque-id': opaqueId, authorization } = request.headers;
      const body = Buffer.concat(chunks).toString();
      response.end(
        JSON.stringify({ method: request.method, url: request.url, type, opaqueId, authorization, body }),
      );
    });
  });
  const { body } = await client.send(
    {
      method: 'POST',
      path: '/a/_bulk',
      query: { preference: '_shards:1|_primary', refresh: false },
      contentType: 'application/x-ndjson',
      body: Buffer.from('{}\n'),
    },
    { ...call(), opaqueId: 'm/0/1' },
  );
  expect(JSON.parse(body.toString())).toEqual({
    method: 'POST',
    url: '/a/_bulk?preference=_shards%3A1%7C_primary&refresh=false',
    type: 'application/x-ndjson',
    opaqueId: 'm/0/1',
    body: '{}\n',
  });
});

test('a request of a trace bears its traceparent, and its name when it has no own; it reports its end once', async () => {
  const told: unknown[] = [];
  const trace: RequestTrace = {
    beginRequest: (method, template) => ({
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      opaqueId: 'aosc-worker-x',
      end: (outcome) => told.push({ method, template: template(), ...outcome }),
    }),
  };
  const client = await connect(
    ({ url, headers, socket }, response) => {
      if (url === '/cut') socket.destroy();
      else response.writeHead(404).end(`${String(headers.traceparent)} ${String(headers['x-opaque-id'])}`);
    },
    { trace },
  );
  const path = '/orders/_doc/4711';
  const { body } = await client.send({ method: 'GET', path }, call());
  expect(body.toString()).toBe(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01 aosc-worker-x`);
  const own = await client.send({ method: 'GET', path }, { ...call(), opaqueId: 'own' });
  expect(own.body.toString()).toMatch(/ own$/);
  await expect(client.send({ method: 'GET', path: '/cut' }, call())).rejects.toThrow();
  const server = { host: '127.0.0.1', port: expect.any(Number) as number };
  const answered = { method: 'GET', template: '/{index}/_doc/{id}', status: 404, server };
  expect(told).toEqual([answered, answered, { method: 'GET', template: '/{index}', failure: 'transient' }]);
});

test('without a trace there is no traceparent', async () => {
  const client = await connect(({ headers }, response) => response.end(String(headers.traceparent)), {
    trace: { beginRequest: () => undefined },
  });
  expect((await client.send(get, call())).body.toString()).toBe('undefined');
});

test('user and password of the URL are sent, and no error shows them', async () => {
  const client = await connect(
    (request, response) => {
      if (request.url === '/cut') request.socket.destroy();
      else response.end(request.headers.authorization);
    },
    { userInfo: 'us%40er:s%3Acret@' },
  );
  const { body } = await client.send(get, call());
  expect(body.toString()).toBe(`Basic ${Buffer.from('us@er:s:cret').toString('base64')}`);
  const error: unknown = await client.send({ method: 'GET', path: '/cut' }, call()).catch((e: unknown) => e);
  expect(error).toMatchObject({ kind: 'transient' });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/s:cret|s%3Acret|us@er|Basic/);
  expect(() => createClient({ nodes: ['http://user:pa ss@:bad'] })).toThrow(/^(?!.*pa ss)/);
});

test.each([
  ['before the answer', (_r: IncomingMessage, response: ServerResponse) => response.socket?.destroy()],
  [
    'in the middle of an answer with a length',
    (_r: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"took":1', () => response.socket?.destroy());
    },
  ],
  [
    'in the middle of an answer in chunks',
    (_r: IncomingMessage, response: ServerResponse) => {
      response.write('{"took":1}', () => response.socket?.destroy());
    },
  ],
])('a connection cut %s is transient', async (_name, handler) => {
  const client = await connect(handler);
  const error: unknown = await client.send(get, call()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'transient' });
  // a gateway was there: it can be the load
  expect(error).not.toHaveProperty('details.awaits');
});

test('a cluster where no process listens is what the caller awaits, and no sign of load', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  const client = createClient({ nodes: [`http://127.0.0.1:${port}`] });
  // the second time the client knows that there is no node to ask
  for (let i = 0; i < 2; i += 1) {
    await expect(client.send(get, call())).rejects.toMatchObject({
      kind: 'transient',
      details: { awaits: 'cluster' },
    });
  }
  await client.close();
});

test('a request is sent once, also when the connection breaks', async () => {
  let requests = 0;
  const client = await connect((request) => {
    requests += 1;
    request.socket.destroy();
  });
  await expect(client.send({ ...get, method: 'POST', body: '{}' }, call())).rejects.toMatchObject({
    kind: 'transient',
  });
  expect(requests).toBe(1);
});

test.each([
  ['with a length', { 'content-length': 200 }],
  ['in chunks', {}],
])('an answer %s over the bound is too large', async (_name, headers) => {
  const client = await connect(
    (_request, response) => {
      response.writeHead(200, headers);
      response.end('x'.repeat(200));
    },
    { maxResponseBytes: 100 },
  );
  await expect(client.send(get, call())).rejects.toMatchObject({ kind: 'too_large' });
});

test.each([
  ['never begins', false],
  ['stops in the middle', true],
])('an answer that %s ends at the time-out', async (_name, begins) => {
  const client = await connect(
    (_request, response) => {
      if (begins) response.write('{');
    },
    { requestTimeoutMs: 50 },
  );
  await expect(client.send(get, call())).rejects.toMatchObject({ kind: 'transient' });
});

test.each([
  ['before the answer', false],
  ['in the middle of it', true],
])('a signal %s ends the wait and the connection', async (_name, begins) => {
  const control = new AbortController();
  let closed: Promise<unknown> | undefined;
  const client = await connect((request, response) => {
    closed = new Promise((resolve) => request.socket.on('close', resolve));
    if (begins) response.write('{', () => setImmediate(() => control.abort()));
    else control.abort();
  });
  await expect(client.send(get, { signal: control.signal })).rejects.toMatchObject({ kind: 'aborted' });
  await closed;
  await expect(client.send(get, { signal: control.signal })).rejects.toMatchObject({ kind: 'aborted' });
});

test('a node that refuses connections is transient, and the next one is asked next', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port: deadPort } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  const alive = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(alive, 'listening');
  const { port } = alive.address() as AddressInfo;
  const client = createClient({ nodes: [`http://127.0.0.1:${deadPort}`, `http://127.0.0.1:${port}`] });
  open.push({ server: alive, client });
  const statuses: unknown[] = [];
  for (let i = 0; i < 4; i += 1) {
    statuses.push(
      await client.send(get, call()).then(
        ({ status }) => status,
        (error: unknown) => error,
      ),
    );
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.find((status) => status !== 200)).toMatchObject({ kind: 'transient' });
});
