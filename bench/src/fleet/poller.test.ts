import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { poll } from './poller';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (response: ServerResponse, tag: string | undefined) => void): Promise<string> {
  server = createServer((request, response) => answer(response, request.headers['if-none-match']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/status`;
}

test('every second client sends the tag it got, and is told what it cost', async () => {
  const until = new AbortController();
  let answers = 0;
  const url = await serve((response, tag) => {
    answers += 1;
    if (answers === 4) until.abort();
    response.setHeader('etag', '"a"');
    if (tag === '"a"') response.writeHead(304).end();
    else response.end('x'.repeat(5000));
  });
  const bodies: number[] = [];
  // two clients in turn
  const polls = await poll({
    url,
    rate: 2,
    until: until.signal,
    onBody: ({ length }) => bodies.push(length),
  });
  const tagged = polls.filter(({ conditional }) => conditional);
  expect(polls).toHaveLength(4);
  expect(tagged).toHaveLength(1);
  expect(tagged.every(({ status, bytes }) => status === 304 && bytes > 0 && bytes < 5000)).toBe(true);
  expect(bodies).toEqual([5000, 5000, 5000]);
}, 20_000);

test('it goes on asking while an answer is held back, and that one counts its wait', async () => {
  const until = new AbortController();
  const held: ServerResponse[] = [];
  const url = await serve((response) => {
    held.push(response);
    if (held.length < 3) return;
    until.abort();
    for (const each of held) each.end();
  });
  const polls = await poll({ url, rate: 50, until: until.signal });
  const latencies = polls.map(({ latencyMs }) => latencyMs);
  expect(polls).toHaveLength(held.length);
  // The first was due 40 ms before the third, and was answered after that was sent; a timer may fire a millisecond early.
  expect(Math.max(...latencies)).toBeGreaterThanOrEqual(39);
});

test('no answer is a failure, not an end', async () => {
  const until = new AbortController();
  let asked = 0;
  const url = await serve((response) => {
    asked += 1;
    if (asked === 3) until.abort();
    response.destroy();
  });
  const polls = await poll({ url, rate: 50, until: until.signal });
  expect(polls.map(({ status }) => status)).toEqual(polls.map(() => undefined));
  expect(polls.length).toBeGreaterThanOrEqual(3);
});
