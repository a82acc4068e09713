import { describeJob, describeQueue, type MigrationLabel } from './describe-job';
import { advanceQueue, backfillQueue, catchUpQueue, replayQueue } from './queue-names';

const key = '0123456789abcdef0123';
const label: MigrationLabel = {
  migrationId: 'books__books2__1000',
  sourceIndex: 'books',
  targetIndex: 'books2',
  phase: 'ACTIVE',
};
const labelOf = (asked: string) => (asked === key ? label : undefined);

test.each([
  [backfillQueue('node-1'), 'backfill books → books2 shard 3', 'backfill'],
  [replayQueue, 'replay books → books2 shard 3', 'replay'],
  [catchUpQueue, 'catch-up books → books2 shard 3', 'catch-up'],
])('a job of %s says migration, shard and phase', (queue, name, phase) => {
  expect(describeJob(queue, { v: 1, key, shard: 3 }, labelOf)).toEqual({
    name,
    data: {
      migration: 'books__books2__1000',
      key,
      shard: 3,
      phase,
      migration_phase: 'ACTIVE',
      source_index: 'books',
      target_index: 'books2',
    },
  });
});

test('a job of the coordinator says its migration and the phase it is in', () => {
  expect(describeJob(advanceQueue, { v: 1, key }, labelOf)).toMatchObject({
    name: 'advance books → books2',
    data: { migration: 'books__books2__1000', phase: 'advance', migration_phase: 'ACTIVE' },
  });
});

test('a job of a migration that does not run any more is known by its key', () => {
  expect(describeJob(replayQueue, { v: 1, key: 'gone', shard: 0 }, labelOf)).toEqual({
    name: 'replay gone shard 0',
    data: { migration: 'no running migration has this key', key: 'gone', shard: 0, phase: 'replay' },
  });
});

test('what is in a payload of another shape is not shown', () => {
  for (const payload of [undefined, 'secret', { v: 2, key, secret: 1 }, { v: 1, shard: 0, secret: 1 }]) {
    expect(JSON.stringify(describeJob(replayQueue, payload, labelOf))).not.toContain('secret');
  }
});

test('a job of a later version is called one', () => {
  const { name, data } = describeJob(replayQueue, { v: 2, key, shard: 0 }, labelOf);
  expect(name).toBe('unknown');
  expect(data['note']).toContain('a later version of the service has made this shard job');
});

test('fields that a payload has beside its own are not shown', () => {
  expect(JSON.stringify(describeJob(advanceQueue, { v: 1, key, secret: 1 }, labelOf))).not.toContain(
    'secret',
  );
});

test('each queue is described by its purpose', () => {
  const told = [advanceQueue, replayQueue, catchUpQueue, backfillQueue('node-1')].map(describeQueue);
  expect(new Set(told).size).toBe(4);
  expect(told[3]).toContain('data node node-1');
});
