import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient } from '@aosc/testkit';
import { expectTransformed } from './transform';

const shape = { documents: 5, sourceShards: 1, targetShards: 1 };
const untouched = { term: { country: 'de' } };
const transform = { source: 'ctx._source.country = "DE"', params: {}, untouched };

let server: Server | undefined;
afterEach(() => server?.close());

/** A target that holds so many documents which the query finds. @returns bodies of the queries, and the client */
async function serve(count: number) {
  const bodies: string[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200, { connection: 'close' }).end(JSON.stringify({ count }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { bodies, http: createHttpClient([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]) };
}

test('a document that the script has left alone is an error', async () => {
  const { http, bodies } = await serve(3);
  await expect(expectTransformed(http, { ...shape, transform })).rejects.toThrow('not changed 3 documents');
  expect(bodies.map((body): unknown => JSON.parse(body))).toEqual([{ query: untouched }]);
  http.close();
});

test('a target without such documents is as it should be, and a copy without a script is not looked at', async () => {
  const { http, bodies } = await serve(0);
  await expectTransformed(http, { ...shape, transform });
  await expectTransformed(http, shape);
  expect(bodies).toHaveLength(1);
  http.close();
});
