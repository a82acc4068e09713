import { createParser, type Snapshot, ShardDetailSchema } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { createMigration } from '../__tests__/create-migration';
import { toShardDetail } from './read-shard';

const parse = createParser('shard', ShardDetailSchema);
const fresh = newShardRecord('0123456789abcdef0123', 3, 1000);
const snapshot: Snapshot = {
  pitId: 'p',
  nodeId: 'n1',
  allocationId: 'a1',
  primaryTerm: 1,
  indexUuid: 'u',
  historyUuid: 'h',
  checkpoint: 41,
  maxSeqNo: 42,
  seenMaxSeqNo: 42,
  documentCount: 40,
  openedAtMillis: 2000,
};

test('who works on a shard, where, and on which snapshots', () => {
  const shard = {
    ...fresh,
    writer: {
      ...fresh.writer,
      epoch: 2,
      owner: 'job',
      process: 'host:7',
      claimedAtMillis: 1500,
      heartbeatAtMillis: 2500,
    },
    ownersLost: { count: 1, last: 'silent' as const },
    snapshot,
    nextSnapshot: { ...snapshot, nodeId: 'n2', allocationId: 'a2', openedAtMillis: 2400 },
    closingPitIds: ['x'],
    lateCloses: [{ pitId: 'y', sinceMillis: 1 }],
    snapshotsLost: 4,
  };
  const primary = { state: 'STARTED', nodeId: 'n2', allocationId: 'a2' };
  const detail = toShardDetail(createMigration(), shard, primary);
  expect(parse(detail)).toEqual({
    migration_id: 'books__books2__1000',
    source_index: 'books',
    shard: 3,
    phase: 'PENDING',
    owner: { id: 'job', process: 'host:7', since_millis: 1500, heartbeat_at_millis: 2500 },
    owners_lost: 1,
    epoch: 2,
    primary: { node_id: 'n2', state: 'STARTED' },
    snapshots: [
      {
        work: 'current',
        node_id: 'n1',
        opened_at_millis: 2000,
        checkpoint: 41,
        document_count: 40,
        is_pinned: false,
      },
      {
        work: 'next',
        node_id: 'n2',
        opened_at_millis: 2400,
        checkpoint: 41,
        document_count: 40,
        is_pinned: true,
      },
    ],
    snapshots_to_close: 2,
    snapshots_lost: 4,
    transition_history: [{ phase: 'PENDING', start_time_millis: 1000 }],
  });
});

test('an owner of an earlier version is named by its job alone; where the primary is not known, nothing is said of it', () => {
  const shard = { ...fresh, writer: { ...fresh.writer, owner: 'job' }, snapshot };
  const detail = toShardDetail(createMigration(), shard, undefined);
  expect(detail.owner).toEqual({ id: 'job', heartbeat_at_millis: 0 });
  expect(detail.primary).toBeUndefined();
  expect(detail.snapshots[0]).not.toHaveProperty('is_pinned');
});
