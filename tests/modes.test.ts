import { callJson, type MakeDocument } from '@aosc/testkit';
import { hasProcessors } from './support/capabilities';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean, expectWholePath } from './support/expectations';
import { type MigrationResult, removeIndices, runMigration } from './support/scenario';

jest.setTimeout(600_000);

const documents = 20_000;
/** Would mark every document that the migration writes; the writers' own documents have other keys. */
const markingPipeline = 'mark-loaded-documents';
const marking = {
  set: { if: "ctx.key != null && ctx.key.startsWith('loaded-')", field: 'marked', value: true },
};

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: 2,
    workers: 2,
    settings: { 'aosc.backfill.controller.batch.max_docs': '60' },
  });
  const canMark = await hasProcessors(environment.http, 'set', 'script');
  await callJson(environment.http, (answer) => answer, 'PUT', `/_ingest/pipeline/${markingPipeline}`, {
    processors: canMark ? [marking] : [],
  });
});
afterAll(() => environment.stop());

const accept = { accept_data_loss_if_custom_routing_is_used: true };
const targetSettings = { 'index.refresh_interval': '7s', 'index.gc_deletes': '45s' };

test.each([
  { from: 2, to: 2, mode: 'SAME_SHARD', mix: { reroute: 5 }, options: {} },
  { from: 2, to: 8, mode: 'SPLIT_SHARD', mix: { reroute: 5 }, options: {} },
  // Where shards are merged the twins of a rerouted id could meet in one of them.
  { from: 3, to: 2, mode: 'BULK_API', mix: {}, options: accept },
  { from: 2, to: 3, mode: 'BULK_API', mix: {}, options: accept },
])(
  '$from shards to $to under writes: $mode, complete and exact',
  async ({ from, to, mode, mix, options }) => {
    const routing = mode === 'SPLIT_SHARD' ? { routingShards: 16 } : {};
    const result = await runMigration(environment, {
      name: `modes-${from}-${to}`,
      source: { shards: from, replicas: 1, ...routing },
      target: { shards: to, replicas: 1, settings: targetSettings, ...routing },
      documents,
      writers: { mix, externalVersionWriters: 1 },
      options,
    });
    const { status, migration } = result;
    expectClean(result);
    expect(status.shard_routing_mode).toBe(mode);
    expect(Object.keys(status.shards)).toHaveLength(from);
    expectWholePath(status);
    expectPlausibleCounters(result);
    expectFullCutover(result);
    expectWritesDuring('BACKFILLING', result);
    await removeIndices(environment, migration);
  },
);

test("the target's own pipeline and settings are back after the swap and have touched no copied document", async () => {
  const result = await runMigration(environment, {
    name: 'modes-pipeline',
    source: { shards: 2 },
    target: { shards: 2, settings: { ...targetSettings, 'index.final_pipeline': markingPipeline } },
    documents: 2_000,
    // After the swap the pipeline is at work again. It would mark loaded documents that are written then, and
    // whatever passes a pipeline is written again as JSON: these documents look the same afterwards.
    writers: { adopt: [], makeDocument: makeKey, makePartial: makeKey },
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

const makeKey: MakeDocument = (_random, { id, revision }) => JSON.stringify({ key: `${id} ${revision}` });

/** What was copied is what the first snapshots held, and everything that ran has ended at a gap of 0. */
function expectPlausibleCounters({ status, migration }: MigrationResult): void {
  const shards = Object.values(status.shards);
  const firstSnapshots = [...migration.watch.firstSnapshots.values()];
  expect(firstSnapshots).toHaveLength(shards.length);
  const held = sum(firstSnapshots.map(({ documentCount }) => documentCount));
  expect(held).toBeGreaterThan(documents * 0.9);
  expect(sum(shards.map(({ backfill }) => backfill?.documents_indexed))).toBe(held);
  for (const { backfill, replay, catching_up: catchingUp, convergence } of shards) {
    expect(backfill).toMatchObject({ status: 'COMPLETED', current_gap: 0 });
    expect(replay).toMatchObject({ status: 'COMPLETED' });
    expect(catchingUp).toMatchObject({ status: 'COMPLETED', current_gap: 0 });
    if (convergence !== undefined) expect(convergence).toMatchObject({ status: 'COMPLETED' });
  }
  const replayed = shards.flatMap((shard) => [shard.replay, shard.convergence, shard.catching_up]);
  expect(sum(replayed.map((counters) => counters?.deletes_applied))).toBeGreaterThan(10);
  expect(sum(replayed.map((counters) => counters?.operations_applied))).toBeGreaterThan(100);
}

function expectFullCutover({ status, migration }: MigrationResult): void {
  const cutover = status.cutover_context;
  expect(cutover).toMatchObject({
    doc_count_tolerance: 0,
    doc_count_validation_passed: true,
    alias_swap_succeeded: true,
  });
  expect(cutover?.source_doc_count).toBeGreaterThan(documents * 0.9);
  expect(cutover?.target_doc_count).toBe(cutover?.source_doc_count);
  expect(cutover?.cutover_end_millis).toBeGreaterThan(cutover?.cutover_start_millis ?? Infinity);
  // The writers were blocked on the source for a moment at the most, and then reached the target.
  expect(Object.keys(migration.writers.stats().operationsByIndex).sort()).toEqual([
    migration.source,
    migration.target,
  ]);
}

/** Otherwise the test would prove nothing about live writes. */
function expectWritesDuring(phase: string, { status, migration }: MigrationResult): void {
  const spans = Object.values(status.shards).flatMap(({ transition_history: history = [] }) =>
    history.filter((entry) => entry.phase === phase),
  );
  const start = Math.min(...spans.map(({ start_time_millis: time }) => time));
  const end = Math.max(...spans.map(({ end_time_millis: time = 0 }) => time));
  const during = migration.acknowledgedAt.filter((time) => time > start && time < end);
  expect(during.length).toBeGreaterThan(200);
}

function sum(figures: readonly (number | undefined)[]): number {
  return figures.reduce<number>((total, figure = 0) => total + figure, 0);
}
