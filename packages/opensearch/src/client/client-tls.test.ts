import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from './create-client';
import type { ClientOptions, OpenSearchClient } from './request';

const read = (name: string) => readFileSync(join(__dirname, '../../../../tests/certificates', name), 'utf8');
const cert = read('localhost.pem');
const key = read('localhost-key.pem');
const open: { server: Server; client: OpenSearchClient }[] = [];

/** A node that accepts only clients with a certificate, and answers who logs in. */
async function connect(options: Omit<ClientOptions, 'nodes'>, userInfo = ''): Promise<OpenSearchClient> {
  const server = createServer(
    { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => response.end(request.headers.authorization ?? 'nobody'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ nodes: [`https://${userInfo}127.0.0.1:${port}`], ...options });
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

const send = (client: OpenSearchClient) =>
  client.send({ method: 'GET', path: '/' }, { signal: new AbortController().signal });
const clientCertificate = { cert, key };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('with the authority and a client certificate, a node answers', async () => {
  const answer = await send(await connect({ ca: cert, clientCertificate }));
  expect(answer.body.toString()).toBe('nobody');
});

test('credentials go before those of the URL', async () => {
  const credentials = { username: 'service', password: 'pa:ss' };
  const client = await connect({ ca: cert, clientCertificate, credentials }, 'other:word@');
  expect((await send(client)).body.toString()).toBe(basic('service:pa:ss'));
});

test('a node of an unknown authority, or without a client certificate, fails as a lost connection', async () => {
  await expect(send(await connect({ clientCertificate }))).rejects.toMatchObject({ kind: 'transient' });
  await expect(send(await connect({ ca: cert }))).rejects.toMatchObject({ kind: 'transient' });
});
