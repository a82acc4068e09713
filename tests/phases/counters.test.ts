import { toStatusDocument } from '@aosc/api';
import type { StatusDocument } from '@aosc/contract';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments, someSource } from '../races/support/pairs';
import { guarded } from './support/ends';

jest.setTimeout(600_000);

/** What docs/reference/status-fields.md says, on one source shard whose every operation is known. */
let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const documents = 60;
const createOne = () =>
  createPair(cluster, { ...guarded, shards: [1, 2], documents: someDocuments(documents) });

type ShardStatus = StatusDocument['shards'][string];

/** The shard as `_status` shows it. */
async function shardOf(harness: Harness): Promise<ShardStatus> {
  const { shards } = toStatusDocument(await harness.record(), await harness.shards());
  const shard = shards['0'];
  if (shard === undefined) throw new Error('there is no shard 0');
  return shard;
}

const put = (harness: Harness, id: string, routing?: string) =>
  cluster.put(harness.alias, { id, ...(routing && { routing }) }, someSource(id));
const remove = (harness: Harness, id: string) => cluster.remove(harness.alias, { id });

/** Looks at the shard when its first bulk is sent. */
function lookingInside(harness: Harness, seen: ShardStatus[]): Faults {
  return {
    target: {
      writes: (real) => ({
        async bulk(...args) {
          seen.push(await shardOf(harness));
          return real.bulk(...args);
        },
      }),
    },
  };
}

test('before anybody works on it a shard has no counters, and -1 for every number', async () => {
  const harness = await createOne();
  await harness.advance();
  const { transition_history: history, ...shard } = await shardOf(harness);
  expect(history).toHaveLength(1);
  expect(shard).toEqual({
    phase: 'PENDING',
    last_replayed_seq_no: -1,
    target_seq_no: -1,
    backfill_cutoff_seq_no: -1,
    meta: {},
  });
});

test('backfill counts documents and bulks', async () => {
  const harness = await createOne();
  const seen: ShardStatus[] = [];
  await harness.backfill(undefined);
  const untold = await shardOf(harness);
  expect(untold.replay).toBeUndefined();

  const watched = await createOne();
  await watched.advance();
  await watched.job('backfill', 0, { faults: lookingInside(watched, seen) });
  expect(seen[0]?.backfill).toMatchObject({
    status: 'IN_PROGRESS',
    documents_indexed: 0,
    rounds: 0,
    current_gap: documents,
  });
  const shard = await shardOf(watched);
  expect(shard).toMatchObject({
    phase: 'CONVERGING',
    backfill_cutoff_seq_no: documents - 1,
    target_seq_no: documents - 1,
    // nothing was replayed
    last_replayed_seq_no: -1,
    backfill: {
      status: 'COMPLETED',
      documents_indexed: documents,
      rounds: seen.length,
      current_gap: 0,
      bulk_retries: 0,
    },
  });
  expect(seen.length).toBeGreaterThan(1);
  expect(Object.keys(shard.backfill ?? {}).sort()).toEqual([
    'bulk_retries',
    'current_gap',
    'documents_indexed',
    'end_time_millis',
    'rounds',
    'start_time_millis',
    'status',
  ]);
  expect(shard.meta).toEqual({ active_lease: expect.stringMatching(/^aosc-migration-.*-0$/) as string });
});

test('the first round is the replay, and counts although there was nothing to bring', async () => {
  const harness = await createOne();
  await harness.backfill();
  await harness.round();
  const shard = await shardOf(harness);
  expect(shard).toMatchObject({
    phase: 'CONVERGED',
    last_replayed_seq_no: documents - 1,
    target_seq_no: documents - 1,
    replay: {
      status: 'COMPLETED',
      rounds: 1,
      operations_applied: 0,
      deletes_applied: 0,
      current_gap: 0,
    },
  });
  expect(shard.convergence).toBeUndefined();
  // Without a new operation there is no further one.
  await harness.round();
  expect((await shardOf(harness)).convergence).toBeUndefined();
});

test('operations_applied is what two snapshots differ by, and not what was written in between', async () => {
  const harness = await createOne();
  await harness.backfill();
  await harness.round();
  let operations = 0;
  const write = async (...writes: (() => Promise<unknown>)[]): Promise<void> => {
    for (const each of writes) await each();
    operations += writes.length;
  };
  // ten documents three times: 10
  for (let revision = 0; revision < 3; revision++) {
    for (let n = 0; n < 10; n++) await write(() => put(harness, `d${n}`));
  }
  // two deletes: 2, both of them deletes
  await write(
    () => remove(harness, 'd10'),
    () => remove(harness, 'd11'),
  );
  // deleted and made again: 1
  await write(
    () => remove(harness, 'd12'),
    () => put(harness, 'd12'),
  );
  // made again with another routing is another document: 2, one of them a delete
  await write(
    () => remove(harness, 'd13'),
    () => put(harness, 'd13', 'elsewhere'),
  );
  // new: 1
  await write(() => put(harness, 'fresh'));
  // came and went: 0
  await write(
    () => put(harness, 'fleeting'),
    () => remove(harness, 'fleeting'),
  );

  const seen: ShardStatus[] = [];
  await harness.round(lookingInside(harness, seen));
  expect(seen[0]?.convergence).toMatchObject({
    status: 'IN_PROGRESS',
    rounds: 0,
    operations_applied: 0,
    current_gap: operations,
  });
  const after = await shardOf(harness);
  expect(after).toMatchObject({
    phase: 'CONVERGED',
    last_replayed_seq_no: documents - 1 + operations,
    target_seq_no: documents - 1 + operations,
    backfill_cutoff_seq_no: documents - 1,
    // The counters of the replay stay as they were.
    replay: { rounds: 1, operations_applied: 0 },
    convergence: {
      status: 'COMPLETED',
      rounds: 1,
      operations_applied: 16,
      deletes_applied: 3,
      current_gap: 0,
    },
  });

  // A delete of what is not there is an operation of the source, and nothing to bring: a round of its own.
  await expect(remove(harness, 'nobody')).rejects.toMatchObject({ answer: { status: 404 } });
  await harness.round();
  expect(await shardOf(harness)).toMatchObject({
    last_replayed_seq_no: documents + operations,
    convergence: { status: 'COMPLETED', rounds: 2, operations_applied: 16, deletes_applied: 3 },
  });

  // Under the write block: what came after the last round.
  await harness.runUntil('CATCHING_UP', {
    source: {
      settings: (real) => ({
        async blockWrites(...args) {
          await put(harness, 'last');
          return real.blockWrites(...args);
        },
      }),
    },
  });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  const end = await shardOf(harness);
  expect(end).toMatchObject({
    phase: 'COMPLETED',
    last_replayed_seq_no: documents + operations + 1,
    target_seq_no: documents + operations + 1,
    convergence: { rounds: 2, operations_applied: 16 },
    catching_up: {
      status: 'COMPLETED',
      rounds: 1,
      operations_applied: 1,
      deletes_applied: 0,
      current_gap: 0,
    },
    meta: {},
  });
  expect(end).not.toHaveProperty('error');
  await harness.expectExact();
});

test('a source that stood still has no round under the write block', async () => {
  const harness = await createOne();
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  expect(await shardOf(harness)).toMatchObject({
    catching_up: { status: 'COMPLETED', rounds: 0, operations_applied: 0 },
  });
});

test('a round that a dead worker began counts once, when it is finished', async () => {
  const harness = await createOne();
  await harness.backfill();
  for (let n = 0; n < 5; n++) await put(harness, `d${n}`);
  const death = new AbortController();
  await harness.job('replay', 0, {
    kill: death.signal,
    faults: {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            const outcome = await real.bulk(...args);
            death.abort(new Error('killed'));
            return outcome;
          },
        }),
      },
    },
  });
  expect(death.signal.aborted).toBe(true);
  expect((await shardOf(harness)).replay).toMatchObject({ status: 'IN_PROGRESS', rounds: 0, current_gap: 5 });
  await harness.job('replay', 0, { takeOver: true });
  expect((await shardOf(harness)).replay).toMatchObject({
    status: 'COMPLETED',
    rounds: 1,
    operations_applied: 5,
  });
});

test('bulk_retries counts bulks that were sent again, in part or whole; rounds does not', async () => {
  const harness = await createOne();
  await harness.advance();
  let bulks = 0;
  let rounds = 0;
  const sent = new Set<string>();
  await harness.job('backfill', 0, {
    faults: {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            bulks += 1;
            const ids = args[1].flatMap((item) => (item.kind === 'index' ? [item.document.idToken] : []));
            if (ids.some((id) => !sent.has(id))) rounds += 1;
            for (const id of ids) sent.add(id);
            const busy = {
              kind: 'overload',
              status: 429,
              type: 'busy',
              reason: 'too many requests',
            } as const;
            if (bulks === 1) return { ...busy, type: 'refused' };
            if (bulks === 2) {
              const [fence, [, ...others], call] = args;
              const outcome = await real.bulk(fence, others, call);
              expect(outcome).toMatchObject({ type: 'answered', failures: [] });
              return {
                type: 'answered',
                tookMs: 1,
                failures: [{ ...busy, id: '', index: 0 }],
                replaced: () => [],
              };
            }
            return real.bulk(...args);
          },
        }),
      },
    },
  });
  // What was refused as a whole is sent again in halves.
  expect(bulks).toBeGreaterThan(rounds + 2);
  expect((await shardOf(harness)).backfill).toMatchObject({
    status: 'COMPLETED',
    documents_indexed: documents,
    bulk_retries: 2,
    rounds,
  });
});

test('counters that run when the shard is stopped are FAILED', async () => {
  const harness = await createOne();
  await harness.advance();
  await harness.job('backfill', 0, {
    faults: {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            if ((await harness.record()).phase === 'ACTIVE') await harness.cancel();
            await harness.runUntil('CANCELLED');
            return real.bulk(...args);
          },
        }),
      },
    },
  });
  expect(await shardOf(harness)).toMatchObject({
    phase: 'CANCELLED',
    backfill: { status: 'FAILED', end_time_millis: expect.any(Number) as number },
  });
});
