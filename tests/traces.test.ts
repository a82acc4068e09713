import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { migrationKey } from '@aosc/store';
import { type HttpCall, type HttpFaultProxy, startHttpFaultProxy } from '@aosc/testkit';
import { type CollectedSpan, type Collector, startCollector } from './support/collector';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldCutover, openCutover } from './support/held-cutover';
import { removeIndices, runMigration, type Scenario } from './support/scenario';

jest.setTimeout(600_000);

const shape = { ...heldCutover, documents: 1_000 } as const satisfies Partial<Scenario>;

let collector: Collector;
let proxy: HttpFaultProxy;
let environment: Environment;
beforeAll(async () => {
  collector = await startCollector();
  environment = await startEnvironment({
    env: { AOSC_TRACES_OTLP_URL: collector.url },
    connect: async ({ openSearchUrls: [node = ''], redisUrl }) => {
      proxy = await startHttpFaultProxy(node);
      return { openSearchUrls: [proxy.url], redisUrl };
    },
  });
});
afterAll(async () => {
  await environment.stop();
  await proxy.stop();
  await collector.stop();
});

/** What every process makes of the id of a migration. */
function firstSpanOf(migrationId: string): { readonly traceId: string; readonly spanId: string } {
  const digest = createHash('sha256').update(migrationId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

const shardOf = ({ attributes }: CollectedSpan): number => Number(attributes['aosc.shard']);

const linkedTo = (first: { readonly spanId: string }): readonly CollectedSpan[] =>
  collector.spans.filter(({ links }) => links.some(({ spanId }) => spanId === first.spanId));

test('a migration is one trace, its jobs and requests are linked to it, and no document is in it', async () => {
  const calls: HttpCall[] = [];
  const unwatch = proxy.watch(({ call }) => calls.push({ ...call, body: Buffer.alloc(0) }));
  const result = await runMigration(environment, { ...shape, name: 'traced' }, (migration) =>
    openCutover(environment, migration),
  );
  unwatch();
  expectClean(result);
  const { id, source, target } = result.migration;
  const first = firstSpanOf(id);
  // Each process sends what it has from time to time.
  await until('the first span, and those of the last jobs', () => {
    const shards = named(linkedTo(first), 'job catch_up').map(shardOf);
    return (
      collector.spans.some(({ spanId }) => spanId === first.spanId) &&
      shards.includes(0) &&
      shards.includes(1)
    );
  });
  const { spans } = collector;

  const own = spans.filter(({ traceId }) => traceId === first.traceId);
  expect(named(own, 'migration')).toEqual([
    expect.objectContaining({
      ...first,
      service: 'aosc-scheduler',
      attributes: {
        'aosc.migration_id': id,
        'aosc.source_index': source,
        'aosc.target_index': target,
        'aosc.phase': 'COMPLETED',
        'aosc.alias': 'traced',
      },
    }),
  ]);
  const parts = own.filter(({ spanId }) => spanId !== first.spanId);
  expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([first.spanId]));
  for (const phase of ['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER', 'CATCHING_UP', 'COMPLETING']) {
    expect(parts.map(({ name }) => name)).toContain(`phase ${phase}`);
  }

  const linked = linkedTo(first);
  for (const job of ['job backfill', 'job replay', 'job catch_up']) {
    const shards = named(linked, job).map(shardOf);
    expect([job, [...new Set(shards)].sort()]).toEqual([job, [0, 1]]);
  }
  const [start] = named(linked, 'start migration');
  expect(start).toMatchObject({ service: 'aosc-api' });
  const [accepted] = named(parts, 'start accepted');
  expect(accepted?.links).toEqual([expect.objectContaining({ traceId: start?.traceId })]);
  expect(named(linked, 'advance').length).toBeGreaterThan(0);
  expect(named(spans, 'round').some(({ attributes }) => 'aosc.upserts' in attributes)).toBe(true);

  const key = migrationKey(id);
  const traceOf = ({ headers }: HttpCall) => String(headers['traceparent']).split('-')[1];
  const jobs = new Set(linked.filter(({ name }) => name.startsWith('job ')).map(({ traceId }) => traceId));
  const bulks = calls.filter(({ path }) => path.startsWith(`/aosc-fence-${key}`) && path.includes('/_bulk'));
  expect(bulks.length).toBeGreaterThan(0);
  for (const bulk of bulks) {
    expect(jobs).toContain(traceOf(bulk));
    expect(bulk.headers['x-opaque-id']).toMatch(new RegExp(`^aosc-${key}-\\d+-\\d+$`));
  }
  const advances = new Set(named(linked, 'advance').map(({ traceId }) => traceId));
  const steps = calls.filter((call) => advances.has(traceOf(call) ?? ''));
  expect(steps.map(({ headers }) => headers['x-opaque-id'])).toContain(`aosc-scheduler-${key}`);
  expect(named(spans, 'POST /{index}/_bulk').length).toBeGreaterThan(0);

  const told = JSON.stringify(spans);
  for (const document of ['loaded-1', 'harbour', 'aosc-fence-']) expect(told).not.toContain(document);
  await removeIndices(environment, result.migration);
});

test('a collector that hangs, and then is gone, disturbs neither a migration nor the end of a process', async () => {
  const countHeld = collector.hang();
  const result = await runMigration(environment, { ...shape, name: 'untraced' }, async (migration) => {
    await until('a request that hangs', () => countHeld() > 0);
    await openCutover(environment, migration);
  });
  expectClean(result);
  const { api, schedulers, workers } = environment.service;
  const [scheduler, ...others] = [...schedulers, ...workers, api];
  expect(await scheduler.stop()).toBe(0);
  await collector.stop();
  for (const process of others) expect(await process.stop()).toBe(0);
  const processes = [...schedulers, ...workers];
  const logs = await Promise.all(processes.map(({ logFile }) => readFile(logFile, 'utf8')));
  for (const log of logs) expect(log).toContain('"traces_lost"');
});
