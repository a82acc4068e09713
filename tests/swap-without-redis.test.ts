import { callJson, createHold, type HttpFaultProxy, startHttpFaultProxy } from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { blockAlone, heldCutover, holdInCatchingUp } from './support/held-cutover';
import { removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

let environment: Environment;
let proxy: HttpFaultProxy;
beforeAll(async () => {
  environment = await startEnvironment({
    workers: 0,
    settings: blockAlone,
    // No lock ends while Redis is away: the worker ends its round.
    env: { AOSC_LOCK_DURATION_MS: '240000' },
  });
  const [url = ''] = environment.urls;
  proxy = await startHttpFaultProxy(url);
});
afterAll(async () => {
  await proxy.stop();
  await environment.stop();
});

test('a Redis that hangs when the last rounds are in hand: the migration goes on to the swap without it', async () => {
  await environment.service.startWorker({ AOSC_OPENSEARCH_URL: proxy.url });
  const scenario = { ...heldCutover, name: 'swap-silence', documents: 2000 };
  const { redis } = environment.stack;
  const result = await runMigration(environment, scenario, async (migration) => {
    // What the last rounds bring, in both shards.
    const wake = await holdInCatchingUp(environment, migration, async () => {
      for (let n = 0; n < 20; n++) {
        const path = `/${migration.alias}/_doc/last-${n}`;
        await callJson(environment.http, (answer) => answer, 'PUT', path, { last: n });
      }
    });
    const last = createHold<'forward'>();
    const isOfDocuments = (path: string) => path.includes('/_bulk') && !path.startsWith('/.aosc-migrations/');
    const letThrough = proxy.addRule(({ path }) => (isOfDocuments(path) ? { before: last.wait } : undefined));
    wake();
    await last.reached;
    redis.pause();
    try {
      last.release('forward');
      letThrough();
      await migration.recordOnce(({ committed }) => committed);
      await until('writes into the target', () => {
        const { operationsByIndex } = migration.writers.stats();
        return (operationsByIndex[migration.target] ?? 0) > 0;
      });
    } finally {
      redis.resume();
    }
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});
