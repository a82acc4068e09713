import { createParser, type MigrationRecord } from '@aosc/contract';
import {
  blockAlias,
  committedAlias,
  fenceAlias,
  fencePlaceholder,
  setupAlias,
  shardRecordId,
  tokenAlias,
  transformPipelineName,
} from '@aosc/domain';
import { createQueues, type Queues } from '@aosc/queue';
import { migrationKey, systemIndex } from '@aosc/store';
import { callJson, cancelMigration, findLeftovers, parsePointsInTime, waitForPhase } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment, until } from './support/environment';
import { blockAlone } from './support/held-cutover';
import { holdUnderTheBlock, type QuietMigration, startQuietMigration } from './support/quiet-migration';
import { readMigrationRecord } from './support/records';
import { commandRedis } from './support/redis';

jest.setTimeout(600_000);

const ends = ['COMPLETED', 'CANCELLED', 'FAILED'] as const;
type End = (typeof ends)[number];
const documents = 300;

let environment: Environment;
let queues: Queues;
const migrations = new Map<End, QuietMigration>();
/** points in time that were opened by hand, by the end of their migration */
const opened = new Map<End, string>();

beforeAll(async () => {
  environment = await startEnvironment({ settings: blockAlone });
  await environment.keepingLogs(async () => {
    for (const end of ends) migrations.set(end, await runTo(end));
    await environment.restore(0);
    const { clusterUuid } = await recordOf('COMPLETED');
    queues = createQueues({
      redisUrl: environment.stack.redisUrl,
      prefix: 'aosc',
      clusterUuid,
      role: 'patient',
      readPermits: () => Promise.resolve(1),
      onError: () => undefined,
    });
    for (const end of ends) expect(await leftovers(end)).toEqual([]);
    for (const end of ends) await leaveEverything(end);
  });
}, 300_000);
afterAll(async () => {
  await queues.close();
  await environment.stop();
});

const migrationOf = (end: End): QuietMigration => {
  const migration = migrations.get(end);
  if (migration === undefined) throw new Error(`there is no migration that is ${end}`);
  return migration;
};
const keyOf = (end: End): string => migrationKey(migrationOf(end).id);
const recordOf = (end: End): Promise<MigrationRecord> =>
  readMigrationRecord(environment.http, migrationOf(end).id);
const call = (method: 'PUT' | 'POST', path: string, body: object = {}): Promise<unknown> =>
  callJson(environment.http, (answer) => answer, method, path, body);

/** A migration that has ended so, and that had a write block of its own. */
async function runTo(end: End): Promise<QuietMigration> {
  const { apiUrl } = environment;
  const alias = `ended-${end.toLowerCase()}`;
  const options = { remove_source_write_block_on_success: true };
  const hold = end !== 'COMPLETED';
  const migration = await startQuietMigration(environment, { alias, documents, hold, options });
  if (hold) {
    const goOn = await holdUnderTheBlock(environment, migration);
    if (end === 'CANCELLED') await cancelMigration(apiUrl, migration.source);
    // A user changes what the copy needs; the service notices before the swap.
    else await call('PUT', `/${migration.target}/_settings`, { 'index.gc_deletes': '30s' });
    await goOn();
  }
  await waitForPhase(apiUrl, migration.source, [end]);
  return migration;
}

function leftovers(end: End): Promise<string[]> {
  const { source, target } = migrationOf(end);
  const pit = opened.get(end);
  return findLeftovers({
    urls: environment.urls,
    source,
    target,
    key: keyOf(end),
    ...(pit !== undefined && { pitIds: [pit] }),
  });
}

const parseOpened = createParser('answer of a point in time', Type.Object({ pit_id: Type.String() }));

/** One of each kind, as a request would leave it that was on its way when the migration ended. */
async function leaveEverything(end: End): Promise<void> {
  const { http } = environment;
  const { source, target } = migrationOf(end);
  const key = keyOf(end);
  const add = (index: string, alias: string): object => ({ add: { index, alias, is_hidden: true } });
  const { pit_id: pit } = await callJson(
    http,
    parseOpened,
    'POST',
    `/${source}/_search/point_in_time?keep_alive=10m`,
  );
  opened.set(end, pit);
  await call('POST', `/${systemIndex}/_update/${shardRecordId(key, 0)}`, { doc: { closing_pit_ids: [pit] } });
  await queues.ensureShardJobs('replay', key, [{ shard: 0, nodeId: '' }]);
  await queues.ensureShardJobs('catch_up', key, [{ shard: 1, nodeId: '' }]);
  await call('PUT', `/_ingest/pipeline/${transformPipelineName(key)}`, { processors: [] });
  const names = [
    fenceAlias(key, 1, 7),
    fencePlaceholder(key, 1, 'late'),
    tokenAlias(key),
    setupAlias(key, 'late'),
    committedAlias(key),
  ];
  await call('POST', '/_aliases', {
    actions: [...names.map((name) => add(target, name)), add(source, blockAlias(key))],
  });
  await call('PUT', `/${source}/_block/write`);
}

const isOpen = async (end: End): Promise<boolean> => {
  const { pits } = await callJson(environment.http, parsePointsInTime, 'GET', '/_search/point_in_time/_all');
  return pits.some(({ pit_id: id }) => id === opened.get(end));
};

/** Whether Redis has a job of the migration: its name is part of what keeps it the only one. */
const hasJob = async (end: End): Promise<boolean> =>
  !(await commandRedis(environment.stack.redisUrl, ['KEYS', `*:de:${keyOf(end)}-*`])).startsWith('*0');

const left = (what: RegExp) => async (end: End) => (await leftovers(end)).some((line) => what.test(line));

const kinds: readonly { kind: string; isThere: (end: End) => Promise<boolean> }[] = [
  { kind: 'a fence', isThere: left(/^alias aosc-fence/) },
  { kind: 'a commit token', isThere: left(/^alias aosc-token/) },
  { kind: 'the alias of a set-up', isThere: left(/^alias aosc-setup/) },
  { kind: 'the mark of a swap', isThere: left(/^alias aosc-committed/) },
  { kind: 'a pipeline', isThere: left(/^ingest pipeline/) },
  { kind: 'a write block', isThere: left(/write-blocked/) },
  { kind: 'the mark of a write block', isThere: left(/^alias aosc-block/) },
  { kind: 'a snapshot that is listed to be closed', isThere: isOpen },
  { kind: 'a job in Redis', isThere: hasJob },
];

describe.each(ends.map((end) => ({ end })))('the guard of a migration that is $end takes away', ({ end }) => {
  test.each(kinds)('$kind that comes late', async ({ kind, isThere }) => {
    await environment.keepingLogs(async () => {
      await until(`the end of ${kind}`, async () => !(await isThere(end)));
    });
    expect((await recordOf(end)).phase).toBe(end);
  });
});
