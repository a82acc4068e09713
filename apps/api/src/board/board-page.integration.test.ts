import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requireCommand, type Stack, startStack } from '@aosc/local-stack';
import { createQueues, type Queues } from '@aosc/queue';
import { type Browser, chromium } from 'playwright-core';
import { createDependencies } from '../__tests__/create-dependencies';
import { createApp } from '../app';

jest.setTimeout(300_000);

let stack: Stack;
let queues: Queues;
let server: Server;
let browser: Browser;
const key = '0123456789abcdef0123';

beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
  queues = createQueues({
    redisUrl: stack.redisUrl,
    prefix: 'page',
    clusterUuid: 'cluster',
    role: 'patient',
    readPermits: () => Promise.resolve(2),
    onError: () => undefined,
  });
  await queues.ensureShardJobs('replay', key, [{ shard: 3, nodeId: 'a' }]);
  await queues.board.follow(['a'], new Map());
  const source = { open: () => Promise.resolve(queues.board) };
  server = createServer(createApp({ ...createDependencies({}), board: source })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const executablePath = await requireCommand('chromium', 'chromium', process.env, () => undefined);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
  await queues.close();
  await stack.stop();
});

test('the page shows queues and jobs under its policy, and asks for nothing but to look', async () => {
  const page = await browser.newPage();
  const [errors, methods] = [new Set<string>(), new Set<string>()];
  page.on('pageerror', (error) => errors.add(String(error)));
  page.on('request', (request) => methods.add(request.method()));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/queues/queue/replay`);
  await page.getByText(`replay ${key} shard 3`).first().waitFor();
  const buttons = await page.getByRole('button').all();
  expect(buttons.length).toBeGreaterThan(3);
  const said = await Promise.all(buttons.map((button) => button.innerText()));
  expect(said.join(' ')).not.toMatch(/retry|promote|clean|empty|pause|resume|obliterate|add/i);
  for (const button of await page
    .getByRole('button', { name: /^(Progress|Options|Logs|Error|Data)$/ })
    .all()) {
    await button.click();
  }
  await page.getByText('jobData').first().waitFor();
  expect([...errors]).toEqual([]);
  expect([...methods]).toEqual(['GET']);
});
