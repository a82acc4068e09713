import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePorts, type Stack, startStack } from '@aosc/local-stack';
import { type Service, startService } from '@aosc/stack';
import {
  callJson,
  createHttpClient,
  createSourceIndex,
  createTargetIndex,
  type HttpClient,
  sendChecked,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { until } from './support/environment';

jest.setTimeout(600_000);

let stack: Stack;
let http: HttpClient;
let starting: Promise<Service> | undefined;
beforeAll(async () => {
  stack = await startStack({ nodes: 1 });
  http = createHttpClient(stack.openSearchUrls);
});
afterAll(async () => {
  await (await starting?.catch(() => undefined))?.stop();
  http.close();
  await stack.stop();
});

const setLimit = (shards: number | null) =>
  callJson(http, (answer) => answer, 'PUT', '/_cluster/settings', {
    persistent: { 'cluster.max_shards_per_node': shards },
  });

const advice = 'raise the cluster setting [cluster.max_shards_per_node]';

test('a cluster with no room for the records: each process says so, and all work once there is room', async () => {
  const names = { source: 'orders-v1', target: 'orders-v2', alias: 'orders' };
  await createSourceIndex(http, { name: names.source, shards: 1, alias: names.alias });
  await createTargetIndex(http, { name: names.target, shards: 1 });
  await setLimit(1);
  const [apiPort = 0] = await findFreePorts(1);
  const { openSearchUrls, redisUrl, logFolder: logDir } = stack;
  starting = startService({ openSearchUrls, redisUrl, apiPort, logDir });
  const apiUrl = `http://127.0.0.1:${apiPort}`;

  const ready = () => sendChecked(apiUrl, '/readyz', {}).catch(() => undefined);
  await until('the API that says why it is not ready', async () => (await ready())?.status === 503);
  expect((await ready())?.body).toMatchObject({
    ok: false,
    checks: expect.arrayContaining([
      { name: 'records', ok: false, reason: expect.stringContaining(advice) as unknown },
    ]) as unknown,
  });
  for (const name of ['worker-1', 'scheduler-1']) {
    await until(`the reason in the log of ${name}`, async () =>
      (await readFile(join(logDir, `${name}.log`), 'utf8').catch(() => '')).includes(advice),
    );
  }
  await expect(startMigration(apiUrl, names)).rejects.toThrow(advice);

  await setLimit(null);
  await starting;
  await startMigration(apiUrl, names);
  await waitForPhase(apiUrl, names.source, ['COMPLETED']);
});

test('the first start after the first answer of a ready API is taken', async () => {
  const names = { source: 'parts-v1', target: 'parts-v2', alias: 'parts' };
  await createSourceIndex(http, { name: names.source, shards: 1, alias: names.alias });
  await createTargetIndex(http, { name: names.target, shards: 1 });
  const service = await starting;
  if (service === undefined) throw new Error('the service did not start');
  await service.stop();
  await callJson(http, (answer) => answer, 'DELETE', '/.aosc-migrations');
  const api = await service.startApi();
  expect(api.isRunning()).toBe(true);
  expect(await startMigration(service.apiUrl, names)).toContain('parts-v1__parts-v2__');
});
