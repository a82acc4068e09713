import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '@aosc/local-stack';
import { createHold, type HttpFaultProxy, sendChecked, startHttpFaultProxy } from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { blockAlone, heldCutover, openCutover } from './support/held-cutover';
import { type Migration, removeIndices, runMigration, type Scenario } from './support/scenario';

jest.setTimeout(600_000);

const shape = {
  ...heldCutover,
  documents: 8_000,
  endsWithinMs: 240_000,
} as const satisfies Partial<Scenario>;
const crawl = { 'aosc.backfill.controller.batch.max_docs': '1' } as const;
const pace = { 'aosc.backfill.controller.batch.max_docs': '500' } as const;

let environment: Environment;
let proxy: HttpFaultProxy;
let viaProxy: { readonly AOSC_OPENSEARCH_URL: string };
beforeAll(async () => {
  environment = await startEnvironment();
  const [url = ''] = environment.urls;
  proxy = await startHttpFaultProxy(url);
  viaProxy = { AOSC_OPENSEARCH_URL: proxy.url };
});
afterAll(async () => {
  await proxy.stop();
  await environment.stop();
});

test('OpenSearch answers nothing: API and worker end by themselves, and another worker goes on', async () => {
  await environment.restore(0);
  await environment.putSettings(crawl);
  await environment.service.api.stop();
  const api = await environment.service.startApi(viaProxy);
  const worker = await environment.service.startWorker(viaProxy);
  const result = await runMigration(environment, { ...shape, name: 'end-deaf' }, async (migration) => {
    await copying(migration);
    const never = createHold<'drop'>();
    const answerAgain = proxy.addRule(() => ({ before: never.wait }));
    const asked = sendChecked(environment.apiUrl, '/_plugins/_aosc/_list', {}).catch(() => undefined);
    await never.reached;
    await Promise.all([endsByItself(api), endsByItself(worker)]);
    await asked;
    answerAgain();
    never.release('drop');
    await environment.service.startApi();
    await environment.putSettings(pace);
    await environment.service.startWorker();
    await openCutover(environment, migration);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('the scheduler gets no answer that the block is on: it ends by itself, and another goes on', async () => {
  await environment.restore(1);
  await environment.putSettings({ ...pace, ...blockAlone });
  for (const running of schedulers()) await running.stop();
  const scheduler = await environment.service.startScheduler(viaProxy);
  const scenario = { ...shape, name: 'end-block', documents: 2_000 };
  const result = await runMigration(environment, scenario, async (migration) => {
    const never = createHold<'cut'>();
    const answerAgain = proxy.addRule(({ path }) =>
      path.includes('/_block/write') ? { after: never.wait } : undefined,
    );
    await openCutover(environment, migration);
    await never.reached;
    await endsByItself(scheduler);
    const { phase, committed } = await migration.record();
    expect({ phase, committed }).toEqual({ phase: 'CUTTING_OVER', committed: false });
    answerAgain();
    never.release('cut');
    await environment.service.startScheduler();
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('Redis answers nothing: every process ends by itself, and the shards are handed back all the same', async () => {
  await environment.restore(1);
  await environment.putSettings(crawl);
  const { redis } = environment.stack;
  const result = await runMigration(environment, { ...shape, name: 'end-redis' }, async (migration) => {
    await copying(migration);
    const all = [environment.service.api, ...schedulers(), ...environment.workers()];
    redis.pause();
    try {
      await Promise.all(all.map(endsByItself));
      for (const { phase, writer } of await migration.shards()) {
        expect(phase).toBe('BACKFILLING');
        expect(writer).not.toHaveProperty('owner');
        // Nothing was in doubt.
        expect(writer.epoch).toBe(1);
      }
    } finally {
      redis.resume();
    }
    await environment.service.startApi();
    await environment.putSettings(pace);
    await environment.restore(1);
    await openCutover(environment, migration);
  });
  expectClean(result);
  for (const { snapshotsLost } of await result.migration.shards()) expect(snapshotsLost).toBe(0);
  await removeIndices(environment, result.migration);
});

function schedulers(): readonly ServiceProcess[] {
  return environment.service.schedulers.filter((scheduler) => scheduler.isRunning());
}

/** Every shard is owned by a worker that has copied a part of it. */
function copying(migration: Migration): Promise<void> {
  return until('shards that are copied', async () =>
    (await migration.shards()).every(
      ({ phase, writer, copy }) =>
        phase === 'BACKFILLING' && writer.owner !== undefined && (copy?.watermark ?? 0) > 0,
    ),
  );
}

/** SIGTERM ends the process without a kill, with all handed back (0) or cut off by its own timer (1), and it says which. */
async function endsByItself(process: ServiceProcess): Promise<void> {
  const code = await process.stop();
  expect([0, 1]).toContain(code);
  const log = await readFile(process.logFile, 'utf8');
  expect(log).toContain(code === 0 ? '"process_stopped"' : '"process_stop_overdue"');
}
