import { createServer } from 'node:http';
import { RedisSilentError } from '@aosc/queue';
import { sendChecked } from '@aosc/testkit';
import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
import { createApp } from '../app';

const running = ['a', 'b', 'c'].map((key) => ({
  record: createMigration({ key }),
  seqNo: 0,
  primaryTerm: 1,
}));
const silent = new RedisSilentError('Redis has not answered for 5000 ms');
const refused = new Error('READONLY');

test.each<{ which: string; permits?: Error; wakes?: Error; asked: readonly string[] }>([
  { which: 'answers', asked: ['permits', 'a', 'b', 'c'] },
  { which: 'gives no answer', permits: silent, wakes: silent, asked: ['permits'] },
  { which: 'gives no answer from the first wake on', wakes: silent, asked: ['permits', 'a'] },
  { which: 'refuses', permits: refused, wakes: refused, asked: ['permits', 'a', 'b', 'c'] },
])('a change is acknowledged with a Redis that $which: $asked', async (redis) => {
  const asked: string[] = [];
  const ask = (what: string, error?: Error): Promise<void> => {
    asked.push(what);
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  const deps = createDependencies({
    readSettings: () => Promise.resolve(undefined),
    replaceSettings: (_before, record) => Promise.resolve({ record, seqNo: 0, primaryTerm: 1 }),
    listActive: () => Promise.resolve(running),
  });
  const queueClient = {
    ...deps.queueClient,
    applyPermits: () => ask('permits', redis.permits),
    wakeMigration: (key: string) => ask(key, redis.wakes),
  };
  const server = createServer(createApp({ ...deps, queueClient }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  const { status } = await sendChecked(`http://127.0.0.1:${address.port}`, '/_cluster/settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ persistent: { 'aosc.cutover.max_pause': '20s' } }),
  });
  await new Promise((resolve) => server.close(resolve));
  expect({ status, asked }).toEqual({ status: 200, asked: redis.asked });
});
