import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@aosc/telemetry';
import express from 'express';
import { setPrincipal } from '../auth/request-notes';
import { createErrorHandler } from '../http/error-handler';
import { limitRate } from './limit-rate';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Only the limit by credential; the path is the name of who asks. */
async function startApp(perSecond: number) {
  const clock = { millis: 0 };
  const app = express();
  app.use((request, _response, next) => {
    const name = request.path.slice(1);
    if (name !== '') setPrincipal(request, { name, kind: 'user', roles: ['read'], indexPatterns: undefined });
    next();
  });
  app.use(limitRate(perSecond, () => clock.millis).byCredential);
  app.use((_request, response) => {
    response.end();
  });
  app.use(createErrorHandler(createLogger({ app: 'api', level: 'error' })));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const askAs = async (name: string) => (await fetch(`http://127.0.0.1:${port}/${name}`)).status;
  return { askAs, clock };
}

test('each credential has its own limit; who has none is not counted here', async () => {
  const { askAs, clock } = await startApp(1);
  expect([await askAs('ann'), await askAs('ann'), await askAs('ann')]).toEqual([200, 200, 429]);
  expect(await askAs('bob')).toBe(200);
  expect([await askAs(''), await askAs(''), await askAs('')]).toEqual([200, 200, 200]);
  clock.millis = 1000;
  expect([await askAs('ann'), await askAs('ann')]).toEqual([200, 429]);
});

test('0 is no limit', async () => {
  const { askAs } = await startApp(0);
  for (let times = 0; times < 20; times += 1) expect(await askAs('ann')).toBe(200);
});
