import type { ShardRecord, Snapshot } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
import { clearedStates, describeClearable, pendingStates, toEntry } from './clear-row';
import { cleanupLeases } from './cleanup-leases';
import { heldLease, refuseRelease, withoutLease } from './held-lease';

const snapshot = (pitId: string, checkpoint: number): Snapshot => ({
  pitId,
  nodeId: 'n',
  allocationId: 'a',
  primaryTerm: 1,
  indexUuid: 's',
  historyUuid: 'h',
  checkpoint,
  maxSeqNo: checkpoint,
  seenMaxSeqNo: checkpoint,
  documentCount: 1,
  openedAtMillis: 1000,
});
const shard = (parts: Partial<ShardRecord> = {}): ShardRecord => ({
  ...newShardRecord('0123456789abcdef0123', 1, 1000),
  ...parts,
});
const running = createMigration();
const ended = createMigration({ phase: 'CANCELLED' });

describe('the lease of a shard', () => {
  test('none without a point in time', () => {
    expect(heldLease(running, shard())).toBeUndefined();
  });

  test('is one, however many points in time it has', () => {
    const record = shard({
      snapshot: snapshot('a', 41),
      nextSnapshot: snapshot('b', 57),
      closingPitIds: ['c', 'a'],
    });
    expect(heldLease(running, record)).toEqual({
      index: 'books',
      shard: 1,
      leaseId: 'aosc-migration-books__books2__1000-1',
      retainingSeqNo: 41,
      pitIds: ['a', 'b', 'c'],
    });
  });

  test('whose snapshots are only to be closed retains from the last replayed operation', () => {
    expect(heldLease(ended, shard({ closingPitIds: ['c'], lastReplayedSeqNo: 9 }))?.retainingSeqNo).toBe(9);
    expect(heldLease(ended, shard({ closingPitIds: ['c'] }))?.retainingSeqNo).toBe(0);
  });

  test.each(['ACTIVE', 'CATCHING_UP', 'COMPLETING', 'CANCELLING', 'FAILING'] as const)(
    'of a migration that is %s is closed on demand only',
    (phase) => {
      expect(refuseRelease(createMigration({ phase }), false)).toContain(
        `migration [books__books2__1000] is ${phase} and needs it`,
      );
      expect(refuseRelease(createMigration({ phase }), true)).toBeUndefined();
    },
  );

  test.each(['COMPLETED', 'CANCELLED', 'FAILED'] as const)('of one that is %s may be closed', (phase) => {
    expect(refuseRelease(createMigration({ phase }), false)).toBeUndefined();
  });

  test('is taken out of the record of an ended migration', () => {
    const held = shard({ snapshot: snapshot('a', 1), nextSnapshot: snapshot('b', 2), closingPitIds: ['c'] });
    const closed = { asked: ['a', 'b', 'c'], left: [], nowMillis: 5 };
    expect(withoutLease(ended, held, closed)).toEqual(shard());
  });

  test('of a running one stays named, so that its shard finds it lost and repairs that', () => {
    const held = shard({ snapshot: snapshot('a', 1), closingPitIds: ['c'] });
    const closed = { asked: ['a', 'c'], left: [], nowMillis: 5 };
    expect(withoutLease(running, held, closed)).toEqual(shard({ snapshot: snapshot('a', 1) }));
  });

  test('what is not closed, its node being away, is listed, and asked for again', () => {
    const held = shard({ snapshot: snapshot('a', 1), closingPitIds: ['c'] });
    const tried = { asked: ['a', 'c'], left: ['a', 'c'], nowMillis: 5 };
    const after = withoutLease(ended, held, tried);
    expect(after).toEqual(
      shard({
        lateCloses: [
          { pitId: 'a', sinceMillis: 5 },
          { pitId: 'c', sinceMillis: 5 },
        ],
      }),
    );
    expect(heldLease(ended, after)?.pitIds).toEqual(['a', 'c']);
    // A snapshot that a running migration works with is not closed behind its back when the node returns.
    expect(withoutLease(running, held, tried)).toEqual(
      shard({ snapshot: snapshot('a', 1), lateCloses: [{ pitId: 'c', sinceMillis: 5 }] }),
    );
  });
});

describe('a row of _clear_state', () => {
  test.each([
    ['a running migration', running, true, 'would_clear', 'would_clear'],
    ['an ended one with claims', ended, true, 'would_clear', 'not_found'],
    ['an ended one', ended, false, 'not_found', 'not_found'],
  ] as const)('%s, dry run', (_, record, claims, clusterState, active) => {
    expect(pendingStates(describeClearable(record, claims))).toEqual({
      cluster_state: clusterState,
      active_migrations: active,
      closed: false,
    });
  });

  test.each([
    ['a running migration', running, true, 'cleared', 'cleared', true],
    ['a running migration, try_close=false', running, false, 'cleared', 'not_found', false],
    ['an ended one with claims', ended, true, 'cleared', 'not_found', false],
  ] as const)('%s, cleared', (_, record, tryClose, clusterState, active, closed) => {
    expect(clearedStates(describeClearable(record, true), tryClose)).toEqual({
      cluster_state: clusterState,
      active_migrations: active,
      closed,
    });
  });

  test("detailed: the original's names", () => {
    const failed = createMigration({ phase: 'FAILED', reason: 'why' });
    expect(toEntry(failed, [shard({ phase: 'FAILED', error: 'because' })])).toEqual({
      migration_id: 'books__books2__1000',
      source_index: 'books',
      target_index: 'books2',
      alias: 'library',
      options: expect.objectContaining({ doc_count_tolerance: 0 }) as unknown,
      phase: 'FAILED',
      routing_mode: 'SPLIT_SHARD',
      delete_routing_strategy: 'TRANSLOG_ROUTING',
      start_time_millis: 1000,
      shards: {
        '1': {
          phase: 'FAILED',
          last_replayed_seq_no: -1,
          backfill_cutoff_seq_no: -1,
          failure: 'because',
          meta: {},
        },
      },
      failure: 'why',
      meta: { 'write_block.applied': 'false', 'alias.swapped': 'false' },
    });
  });
});

test('a dry run of a clean-up says of a lease why a real one would leave it', async () => {
  const migrations = [running, { ...ended, key: 'ended' }];
  const page = { migrations, shardPhases: new Map(), activeCount: 1, truncated: false };
  const deps = createDependencies({
    listMigrations: () => Promise.resolve(page),
    listActive: () => Promise.resolve([{ record: running, seqNo: 1, primaryTerm: 1 }]),
    readShards: () =>
      Promise.resolve([{ record: shard({ closingPitIds: ['c'] }), seqNo: 1, primaryTerm: 1 }]),
  });
  const errorsOf = async (includeActive: boolean) =>
    (await cleanupLeases(deps, { index: undefined, dryRun: true, includeActive })).leases.map(
      ({ error }) => error,
    );
  expect(await errorsOf(false)).toEqual([expect.stringContaining('is ACTIVE and needs it'), undefined]);
  expect(await errorsOf(true)).toEqual([undefined, undefined]);
});
