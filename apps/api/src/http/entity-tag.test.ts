import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { sendTagged } from './entity-tag';

let server: Server;
beforeAll(async () => {
  const app = express();
  app.use((request, response) => sendTagged(request, response, { etag: 'W/"a"', text: () => '{"a":1}' }));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

test.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b,c", W/"a"', true],
  ['"b,a"', false],
  ['*', true],
  ['W/"b"', false],
  ['"A"', false],
  ['a', false],
  [undefined, false],
])('If-None-Match: %s, as fetch sends it', async (header, isKnown) => {
  const { port } = server.address() as AddressInfo;
  const headers = { 'cache-control': 'no-cache', ...(header !== undefined && { 'if-none-match': header }) };
  const asked = httpRequest({ host: '127.0.0.1', port, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual(isKnown ? [304, ''] : [200, '{"a":1}']);
  expect(answer.headers).toMatchObject({ etag: 'W/"a"', 'cache-control': 'private, no-cache' });
});
