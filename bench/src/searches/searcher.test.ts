import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient, type HttpClient } from '@aosc/testkit';
import { searchKinds } from './queries';
import { search } from './searcher';

const whole = '{"timed_out":false,"_shards":{"failed":0}}';

let server: Server | undefined;
let http: HttpClient | undefined;
afterEach(() => {
  http?.close();
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (response: ServerResponse, body: string) => void): Promise<HttpClient> {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (http = createHttpClient([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]));
}

const load = { index: 'orders', pauseMs: 0, documents: 1000, seed: 1 } as const;

test('a client asks for every kind in turn, each time for something else', async () => {
  const until = new AbortController();
  const bodies: string[] = [];
  const client = await serve((response, body) => {
    bodies.push(body);
    if (bodies.length === 12) until.abort();
    response.end(whole);
  });
  const searches = await search({ ...load, http: client, clients: 1, until: until.signal });
  expect(searches.map(({ kind }) => kind)).toEqual([...searchKinds, ...searchKinds, ...searchKinds]);
  expect(searches.every(({ failed }) => !failed)).toBe(true);
  expect(new Set(bodies).size).toBe(12);
});

test('as many searches run at once as there are clients, and no more', async () => {
  const until = new AbortController();
  const held: ServerResponse[] = [];
  const client = await serve((response) => {
    held.push(response);
    if (held.length < 3) return;
    until.abort();
    for (const each of held) each.end(whole);
  });
  expect(await search({ ...load, http: client, clients: 3, until: until.signal })).toHaveLength(3);
});

test.each([
  ['refused', 429, whole],
  ['timed out', 200, '{"timed_out":true,"_shards":{"failed":0}}'],
  ['without a shard', 200, '{"timed_out":false,"_shards":{"failed":1}}'],
])('a search that is %s has failed, and counts', async (_, status, body) => {
  const until = new AbortController();
  const client = await serve((response) => {
    until.abort();
    response.writeHead(status).end(body);
  });
  const searches = await search({ ...load, http: client, clients: 1, until: until.signal });
  expect(searches.map(({ failed }) => failed)).toEqual([true]);
});
