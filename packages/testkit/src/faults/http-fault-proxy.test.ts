import { createServer, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { createHttpClient, type HttpClient } from '../http/http-client';
import { createRandom } from '../random';
import { answeredLate, createHold, dropped, sometimes, unanswered } from './fault';
import { type HttpFaultProxy, overloaded, startHttpFaultProxy } from './http-fault-proxy';

interface Arrival {
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly port: number | undefined;
}

const arrivals: Arrival[] = [];
/** what one request waits for before it is answered; others do not */
let answering: Promise<void> = Promise.resolve();
const large = Buffer.alloc(3_000_000, 'x');
let server: Server;
let proxy: HttpFaultProxy;
let http: HttpClient;

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    const { url = '', rawHeaders, socket } = incoming;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const port = socket.remotePort;
      arrivals.push({ path: url, rawHeaders, body: Buffer.concat(chunks).toString(), port });
      outgoing.sendDate = false;
      void answering.then(() => {
        outgoing.writeHead(201, ['X-Odd-CASE', 'a', 'x-twice', '1', 'x-twice', '2']);
        outgoing.end(url === '/large' ? large : 'done');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  arrivals.length = 0;
  answering = Promise.resolve();
  proxy = await startHttpFaultProxy(addressOf(server));
  http = createHttpClient([proxy.url]);
});
afterEach(async () => {
  http.close();
  await proxy.stop();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('passes a request on as it is, and the answer back as it is', async () => {
  const text =
    'POST /a%2Fb?x=%20&y HTTP/1.1\r\nhOST: some.where\r\nX-Opaque-Id: 1\r\nx-b: 2\r\nTransfer-Encoding: chunked\r\n' +
    'Connection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
  const answer = await sendRaw(text);
  expect(arrivals).toEqual([
    {
      path: '/a%2Fb?x=%20&y',
      rawHeaders: [
        'hOST',
        'some.where',
        'X-Opaque-Id',
        '1',
        'x-b',
        '2',
        'Transfer-Encoding',
        'chunked',
        'Connection',
        'close',
      ],
      body: 'hello',
      port: expect.any(Number) as unknown,
    },
  ]);
  expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\nX-Odd-CASE: a\r\nx-twice: 1\r\nx-twice: 2\r\n/);
  expect(answer).toMatch(/done/);
});

test('keeps connections, and passes on what is larger than a buffer', async () => {
  const first = await http.send({ method: 'GET', path: '/large' });
  await http.send({ method: 'PUT', path: '/second', body: 'text' });
  expect(first.body.equals(large)).toBe(true);
  expect(new Set(arrivals.map(({ port }) => port)).size).toBe(1);
});

test('a dropped request never arrives, an unanswered one does', async () => {
  const remove = proxy.addRule(({ path }) => (path === '/drop' ? dropped : undefined));
  proxy.addRule(({ path }) => (path === '/lose' ? unanswered : undefined));
  const told: string[] = [];
  proxy.watch(({ call, reply }) => told.push(`${call.method} ${call.path} ${reply.status}`));
  await expect(http.send({ method: 'GET', path: '/drop' })).rejects.toThrow('/drop');
  await expect(http.send({ method: 'PUT', path: '/lose', body: 'x' })).rejects.toThrow('/lose');
  expect(arrivals.map(({ path }) => path)).toEqual(['/lose']);
  expect(told).toEqual(['PUT /lose 201']);
  remove();
  expect((await http.send({ method: 'GET', path: '/drop' })).status).toBe(201);
});

test('a held request arrives late, although who sent it has gone', async () => {
  const hold = createHold<'forward' | 'drop'>();
  proxy.addRule(({ path }) => (path === '/held' ? { before: hold.wait } : undefined));
  const sender = new AbortController();
  const sent = http.send({ method: 'PUT', path: '/held', body: 'late', signal: sender.signal });
  await hold.reached;
  sender.abort();
  await expect(sent).rejects.toThrow();
  await http.send({ method: 'GET', path: '/other' });
  expect(arrivals.map(({ path }) => path)).toEqual(['/other']);
  const arrived = new Promise<void>((resolve) => proxy.watch(() => resolve()));
  hold.release('forward');
  await arrived;
  expect(arrivals.map(({ path, body }) => [path, body])).toEqual([
    ['/other', ''],
    ['/held', 'late'],
  ]);
});

test('an answer can be held: the request is carried out, and the waiting client learns nothing', async () => {
  const hold = createHold<'deliver' | 'cut'>();
  proxy.addRule(() => ({ after: hold.wait }));
  const sent = http.send({ method: 'PUT', path: '/done', body: 'x' });
  await hold.reached;
  expect(arrivals).toHaveLength(1);
  hold.release('deliver');
  const { status, body } = await sent;
  expect([status, body.toString()]).toEqual([201, 'done']);
});

test('cuts an answer in its middle', async () => {
  proxy.addRule(() => ({ cutAnswerAfterBytes: 1_000_000 }));
  const received = await new Promise<number>((resolve, reject) => {
    request(`${proxy.url}/large`, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('error', () => resolve(bytes));
      answer.on('end', () => reject(new Error('the answer came to its end')));
    }).end();
  });
  expect(received).toBe(1_000_000);
});

test('answers a part of the requests itself', async () => {
  proxy.addRule(sometimes(createRandom(5), 0.5, () => overloaded(429)));
  const statuses: number[] = [];
  for (let at = 0; at < 40; at += 1) statuses.push((await http.send({ method: 'GET', path: '/' })).status);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  expect(arrivals).toHaveLength(statuses.filter((status) => status === 201).length);
});

test('a delayed answer comes after one that was asked for later', async () => {
  proxy.addRule(({ path }) => (path === '/slow' ? answeredLate(300) : undefined));
  const order: string[] = [];
  await Promise.all(
    ['/slow', '/quick'].map((path) => http.send({ method: 'GET', path }).then(() => order.push(path))),
  );
  expect(order).toEqual(['/quick', '/slow']);
});

test('gives a request up whose sender has gone', async () => {
  let answer: () => void = () => undefined;
  answering = new Promise((resolve) => (answer = resolve));
  const gone = new Promise<void>((resolve) =>
    server.once('request', (incoming) => incoming.socket.once('close', () => resolve())),
  );
  const sender = new AbortController();
  const sent = http.send({ method: 'GET', path: '/search', signal: sender.signal });
  await new Promise<void>((resolve) => server.once('request', () => resolve()));
  sender.abort();
  await expect(sent).rejects.toThrow();
  await gone;
  answer();
});

test('refuses connections for a while, at the same address', async () => {
  await http.send({ method: 'GET', path: '/' });
  await proxy.refuseConnections();
  const other = createHttpClient([proxy.url]);
  await expect(other.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ maybeDelivered: false });
  await proxy.acceptConnections();
  expect((await other.send({ method: 'GET', path: '/' })).status).toBe(201);
  other.close();
});

function addressOf(listening: Server): string {
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(text);
  });
}
