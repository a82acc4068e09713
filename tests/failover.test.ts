import { createParser } from '@aosc/contract';
import type { Server } from '@aosc/local-stack';
import { systemIndex } from '@aosc/store';
import { callJson, callRaw, parsePointsInTime } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { homeOfPrimary, reroute, untilGreen } from './support/allocation';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { heldCutover, openCutover } from './support/held-cutover';
import { readLog } from './support/service-log';
import { type Migration, removeIndices, runMigration, type Scenario } from './support/scenario';

jest.setTimeout(600_000);

const documents = 6_000;
const dataNodes = ['data-a', 'data-b'] as const;
/** A cutover that waits for the test: the cluster has no third node for the target's second replicas. */
const held = {
  ...heldCutover,
  target: { ...heldCutover.target, replicas: 2 },
  documents,
} as const satisfies Partial<Scenario>;

/** Documents of a bulk: a shard takes some seconds. */
const pace = { 'aosc.backfill.controller.batch.max_docs': '40' } as const;
const crawl = { 'aosc.backfill.controller.batch.max_docs': '2' } as const;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: [
      { name: 'manager', roles: ['cluster_manager'], heapMb: 384 },
      ...dataNodes.map((name) => ({ name, roles: ['data', 'ingest'] as const, heapMb: 512 })),
    ],
    lastingNodes: 1,
    settings: pace,
  });
});
beforeEach(() => environment.restore(1));
afterAll(() => environment.stop());

test('kill -9 of the node with a primary in BACKFILLING, and of the other one in CONVERGING: promotion twice', async () => {
  const scenario = {
    name: 'failover-kill',
    source: { shards: 2, replicas: 1, routingShards: 8 },
    target: { shards: 4, replicas: 1, routingShards: 8 },
    documents,
    options: heldConvergence,
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    await midBackfill(migration);
    await failOver(migration, 2);
    await untilConverging(migration);
    await failOver(migration, 3);
    await letConverge(migration);
  });
  expectClean(result, 'repeated');
  await removeIndices(environment, result.migration);
});

test('a primary of the source and one of the target move to another node and back', async () => {
  const result = await runMigration(environment, { ...held, name: 'failover-move' }, async (migration) => {
    await midBackfill(migration);
    await moveThereAndBack(migration.source, 0);
    await moveThereAndBack(migration.target, 0);
    await openCutover(environment, migration);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('a backfill whose primary moves goes on with a permit of the new node', async () => {
  const name = 'failover-permit';
  const result = await runMigration(environment, { ...held, name }, async (migration) => {
    await midBackfill(migration);
    await environment.putSettings(crawl);
    const [before] = await migration.shards();
    const { name: from } = await nodeOfPrimary(migration.source, 0);
    const to = dataNodes.find((each) => each !== from) ?? '';
    const move = { index: migration.source, shard: 0, from_node: from, to_node: to };
    await reroute(environment.http, { move });
    await until('a snapshot on the other node', async () => {
      const [{ snapshot } = {}] = await migration.shards();
      return snapshot !== undefined && snapshot.nodeId !== before?.snapshot?.nodeId;
    });
    await environment.putSettings(pace);
    const moved = environment.service.workers.map((worker) =>
      readLog(worker, migration.id, 'backfill_moved'),
    );
    expect((await Promise.all(moved)).flat()).not.toEqual([]);
    await openCutover(environment, migration);
  });
  expectClean(result, 'repeated');
  await removeIndices(environment, result.migration);
});

test.each([
  { replicas: 1, what: 'a replica takes over, and the failed copy comes back' },
  { replicas: 0, what: 'the failed copy is the only one' },
])('a primary that fails below an open snapshot gets its lock back: $what', async ({ replicas }) => {
  const name = `failover-lock-${replicas}`;
  const source = { ...held.source, replicas };
  const result = await runMigration(environment, { ...held, name, source }, async (migration) => {
    await midBackfill(migration);
    const snapshots = await openSnapshots(migration);
    expect(snapshots.length).toBeGreaterThan(0);
    await failPrimary(migration.source, 0);
    await untilGreen(environment.http, migration.source);
    await openCutover(environment, migration);
  });
  expectClean(result, 'repeated');
  await removeIndices(environment, result.migration);
});

test('a copy that has used up its tries while no worker ran is allocated again by the next one', async () => {
  const source = { ...held.source, replicas: 1, settings: { 'index.allocation.max_retries': 1 } };
  const scenario = { ...held, name: 'failover-tries', source };
  const result = await runMigration(environment, scenario, async (migration) => {
    await midBackfill(migration);
    await environment.restore(0);
    expect(await openSnapshots(migration)).not.toEqual([]);
    await failPrimary(migration.source, 0);
    await until('a copy that is not tried again', () => hasGivenUp(migration.source));
    await environment.restore(1);
    await untilGreen(environment.http, migration.source);
    await openCutover(environment, migration);
  });
  expectClean(result, 'repeated');
  await removeIndices(environment, result.migration);
});

test('restart of a node with a primary while deletes are pending', async () => {
  const scenario = {
    ...held,
    name: 'failover-restart',
    source: { ...held.source, replicas: 1 },
    writers: { adopt: [] },
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    await migration.recordOnce(({ phase }) => phase === 'PREPARING_TARGET');
    await environment.restore(0);
    expect(await deleteByQuery(migration, 'loaded-1')).toBeGreaterThan(documents * 0.1);
    await (await nodeOfPrimary(migration.source, 0)).restart();
    await untilGreen(environment.http, migration.source);
    await environment.restore(1);
    await untilRepaired(migration, [1, 0]);
    await openCutover(environment, migration);
  });
  expectClean(result, 'repeated');
  await removeIndices(environment, result.migration);
});

test('every point in time closed by a user ten times in a row, with deletes pending', async () => {
  const scenario = { ...held, name: 'failover-ten', writers: { adopt: [] } };
  const result = await runMigration(environment, scenario, async (migration) => {
    await migration.recordOnce(({ phase }) => phase === 'PREPARING_TARGET');
    for (let time = 0; time < 10; time++) {
      const lost = (await migration.shards()).map(({ snapshotsLost }) => snapshotsLost);
      expect(await deleteByQuery(migration, `loaded-1${time}`)).toBeGreaterThan(documents * 0.01);
      await callRaw(environment.http, { method: 'DELETE', path: '/_search/point_in_time/_all' });
      const losses = lost.map((count) => count + 1);
      await untilRepaired(migration, losses, Date.now());
    }
    const shards = await migration.shards();
    expect(Math.min(...shards.map(({ snapshotsLost }) => snapshotsLost))).toBeGreaterThan(5);
    await openCutover(environment, migration);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

test('storms in BACKFILLING and in CONVERGING: delete_by_query, update_by_query and bulks at once', async () => {
  const scenario = { ...held, name: 'failover-storms', options: heldConvergence, writers: { adopt: [] } };
  const result = await runMigration(environment, scenario, async (migration) => {
    await midBackfill(migration);
    await storm(migration, 1);
    await untilConverging(migration);
    await storm(migration, 3);
    await letConverge(migration);
    await openCutover(environment, migration);
  });
  expectClean(result);
  await removeIndices(environment, result.migration);
});

/** The first shard has copied a part, and is far from its end. */
async function midBackfill(migration: Migration): Promise<void> {
  const share = documents / 2;
  const { shards } = await migration.waitFor(
    'a backfill in its middle',
    (status) => (status.shards['0']?.backfill?.documents_indexed ?? 0) > share * 0.1,
  );
  expect(shards['0']?.phase).toBe('BACKFILLING');
}

/** Kills the node with the primary of the first shard, and starts it again when the replica has taken over. */
async function failOver(migration: Migration, term: number): Promise<void> {
  const { http } = environment;
  const { source } = migration;
  const node = await nodeOfPrimary(source, 0);
  await node.kill();
  await until('the promotion of the replica', async () => {
    const home = await homeOfPrimary(http, source, 0);
    return home !== undefined && home !== node.name;
  });
  await node.restart();
  // Else the next one to be killed would hold the only copy.
  await untilGreen(http, source, systemIndex);
  await until(`a snapshot of term ${term}`, async () => {
    const [first] = await migration.shards();
    return first?.snapshot?.primaryTerm === term;
  });
}

async function nodeOfPrimary(index: string, shard: number): Promise<Server> {
  const name = await homeOfPrimary(environment.http, index, shard);
  const node = environment.stack.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`${index} has no started primary ${shard}`);
  return node;
}

/** The way back needs the lock that the first node's copy had. */
async function moveThereAndBack(index: string, shard: number): Promise<void> {
  const { http } = environment;
  const first = (await nodeOfPrimary(index, shard)).name;
  const other = dataNodes.find((name) => name !== first) ?? '';
  for (const [from, to] of [
    [first, other],
    [other, first],
  ] as const) {
    await reroute(http, { move: { index, shard, from_node: from, to_node: to } });
    await until(`${index} ${shard} on ${to}`, async () => (await homeOfPrimary(http, index, shard)) === to);
  }
}

async function failPrimary(index: string, shard: number): Promise<void> {
  const { name: node } = await nodeOfPrimary(index, shard);
  await reroute(environment.http, { cancel: { index, shard, node, allow_primary: true } });
}

const parseReasons = createParser(
  'answer of _cat/shards',
  Type.Array(
    Type.Object({ state: Type.String(), 'unassigned.reason': Type.Union([Type.String(), Type.Null()]) }),
  ),
);

/** Has a copy failed as often as it may? */
async function hasGivenUp(index: string): Promise<boolean> {
  const path = `/_cat/shards/${index}?format=json&h=state,unassigned.reason`;
  const copies = await callJson(environment.http, parseReasons, 'GET', path);
  return copies.some(
    (copy) => copy.state === 'UNASSIGNED' && copy['unassigned.reason'] === 'ALLOCATION_FAILED',
  );
}

/** Recorded snapshots that are open. */
async function openSnapshots(migration: Migration): Promise<readonly string[]> {
  const { pits } = await callJson(environment.http, parsePointsInTime, 'GET', '/_search/point_in_time/_all');
  const open = new Set(pits.map(({ pit_id: pitId }) => pitId));
  return (await migration.shards()).flatMap(({ snapshot }) =>
    snapshot !== undefined && open.has(snapshot.pitId) ? [snapshot.pitId] : [],
  );
}

/**
 * Every shard has lost its snapshot that often, and holds a new one with nothing left to sweep. A shard that was just
 * about to leave its snapshot for the next has lost nothing: it opened its new one when the others were closed.
 */
function untilRepaired(
  migration: Migration,
  losses: readonly number[],
  closedAtMillis = Infinity,
): Promise<void> {
  return until('repaired shards', async () =>
    (await migration.shards()).every(({ shard, snapshot, sweepPending, snapshotsLost }) => {
      if (snapshot === undefined || sweepPending) return false;
      return snapshotsLost >= (losses[shard] ?? 0) || snapshot.openedAtMillis > closedAtMillis;
    }),
  );
}

const parseDeleted = createParser('answer of _delete_by_query', Type.Object({ deleted: Type.Integer() }));
const parseUpdated = createParser('answer of _update_by_query', Type.Object({ updated: Type.Integer() }));
const parseBulk = createParser('answer of _bulk', Type.Object({ errors: Type.Literal(false) }));

/** Deletes loaded documents, which no writer knows. @returns how many */
async function deleteByQuery({ alias }: Migration, prefix: string): Promise<number> {
  await callRaw(environment.http, { method: 'POST', path: `/${alias}/_refresh` });
  const body = { query: { prefix: { key: prefix } } };
  const path = `/${alias}/_delete_by_query?scroll_size=200`;
  return (await callJson(environment.http, parseDeleted, 'POST', path, body)).deleted;
}

async function updateByQuery({ alias }: Migration, prefix: string): Promise<number> {
  await callRaw(environment.http, { method: 'POST', path: `/${alias}/_refresh` });
  const body = {
    query: { prefix: { key: prefix } },
    script: { source: 'ctx._source.stormed = true; ctx._source.revision += 1' },
  };
  const path = `/${alias}/_update_by_query?scroll_size=200`;
  return (await callJson(environment.http, parseUpdated, 'POST', path, body)).updated;
}

/** Every tenth document is deleted, every tenth one changed, and bulks make, change, delete and make again. */
async function storm(migration: Migration, digit: number): Promise<void> {
  const [deleted, updated] = await Promise.all([
    deleteByQuery(migration, `loaded-${digit}`),
    updateByQuery(migration, `loaded-${digit + 1}`),
    mixedBulks(migration, `storm-${digit}`),
  ]);
  expect(deleted).toBeGreaterThan(documents * 0.1);
  expect(updated).toBeGreaterThan(documents * 0.1);
}

async function mixedBulks({ alias }: Migration, prefix: string): Promise<void> {
  for (let bulk = 0; bulk < 5; bulk++) {
    const lines = Array.from({ length: 100 }, (_, n) => {
      const name = { _id: `${prefix}-${bulk}-${n}`, ...(n % 3 === 0 ? { routing: `r${n}` } : {}) };
      const write = [{ index: name }, { key: name._id, revision: n }];
      const change = [{ update: name }, { doc: { revision: -n } }];
      const remove = [{ delete: name }];
      return [write, change, ...(n % 2 === 0 ? [remove] : []), ...(n % 4 === 0 ? [write] : [])];
    });
    const body = lines.flat(2).map((line) => `${JSON.stringify(line)}\n`);
    const bytes = await callRaw(environment.http, {
      method: 'POST',
      path: `/${alias}/_bulk`,
      contentType: 'application/x-ndjson',
      body: body.join(''),
    });
    parseBulk(JSON.parse(bytes.toString()));
  }
}
