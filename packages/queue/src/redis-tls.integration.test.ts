import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisTls } from '@aosc/contract';
import { type Stack, startStack } from '@aosc/local-stack';
import { createConnection } from './connection';
import { createConsumer } from './consumer';
import { advanceQueue } from './queue-names';
import { createQueues } from './queues';

const certificate = (name: string) =>
  readFileSync(join(__dirname, '../../../tests/certificates', name), 'utf8');
const cert = certificate('localhost.pem');
const key = certificate('localhost-key.pem');

let stack: Stack;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  stack = await startStack({ nodes: 0, redisTls: { cert, key, ca: cert } });
}, 60_000);
afterAll(() => stack.stop());
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Never settles by itself when the connection succeeds: the first error is what is waited for. */
function firstError(redisTls: RedisTls): Promise<Error> {
  return new Promise((resolve) => {
    const connection = createConnection({ redisUrl: stack.redisUrl, redisTls }, 'patient', resolve);
    open.push(() => {
      connection.disconnect();
    });
  });
}

test('with the authority and a client certificate, jobs go through a Redis that takes only TLS', async () => {
  expect(stack.redisUrl).toMatch(/^rediss:/);
  const payload = await new Promise((resolve, reject) => {
    const shared = {
      redisUrl: stack.redisUrl,
      redisTls: { ca: cert, cert, key },
      prefix: 'tls',
      clusterUuid: 'c',
      onError: reject,
    };
    const queues = createQueues({ ...shared, role: 'patient', readPermits: () => Promise.resolve(2) });
    const consumer = createConsumer({
      ...shared,
      queue: advanceQueue,
      concurrency: 1,
      lockDurationMs: 5000,
      stalledCheckMs: 500,
      handle: (job) => {
        resolve(job);
        return Promise.resolve({ type: 'done' });
      },
    });
    open.push(
      () => consumer.close(100),
      () => queues.close(),
    );
    queues.wakeMigration('m').catch(reject);
  });
  expect(payload).toMatchObject({ key: 'm' });
});

test('a certificate of an unknown authority is refused, and the error says what to set', async () => {
  const error = await firstError({ cert, key });
  expect(error.message).toMatch(/no known authority signed .*AOSC_REDIS_CA must name/);
});

test('without a client certificate, such a Redis refuses', async () => {
  // In TLS 1.3 the client learns it after it has begun to write: which error it sees first differs.
  expect((await firstError({ ca: cert })).message).toMatch(/certificate required|ECONNRESET|EPIPE/);
});
