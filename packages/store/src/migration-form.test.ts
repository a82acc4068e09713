import type { MigrationRecord } from '@aosc/contract';
import { exampleMigration } from '@aosc/testkit';
import { migrationCodec } from './record-codec';

const cleared = 'cleared by an administrator (_clear_state)';
const leftNote =
  `${cleared}; undo=false: a write block on [books] and changed settings of [books2] were left ` +
  'as they are';
const notRestored = 'set back on target index [books2] yourself: [index.refresh_interval] to [default]: no';
const position = { seqNo: 4, primaryTerm: 1 };

const write = (parts: Partial<MigrationRecord>): object => migrationCodec.write(exampleMigration(parts));
const read = (record: unknown): MigrationRecord => migrationCodec.read({ record, ...position }).record;

/** What the version before writes of a record: it drops the fields that it does not know. */
function writtenBefore(record: object): object {
  const { reason: _reason, clearings: _clearings, ...known } = { reason: 0, clearings: 0, ...record };
  return known;
}

const ends: readonly (readonly [what: string, parts: Partial<MigrationRecord>, message: string])[] = [
  ['a reason', { reason: 'counts differ; by 1' }, 'counts differ; by 1'],
  ['a clearing', { clearings: [{ undone: true }] }, cleared],
  [
    'all that a migration can show',
    { reason: 'x', clearings: [{ undone: true }, { undone: false }], notRestored },
    `x; ${cleared}; ${leftNote}; ${notRestored}`,
  ],
  ['settings that were refused', { notRestored }, notRestored],
];

describe.each(ends)('the end of a migration: %s', (_, parts, message) => {
  test('comes back as it was written', () => {
    expect(read(write(parts))).toEqual(exampleMigration(parts));
  });

  test('is one text for the version before', () => {
    expect(write(parts)).toMatchObject({ schema_version: 1, error_message: message });
  });

  test('is understood as the version before has written it', () => {
    expect(read(writtenBefore(write(parts)))).toEqual(exampleMigration(parts));
  });
});

const waits: MigrationRecord['waits'] = [
  { reason: 'permit', sinceMillis: 1 },
  { reason: 'gap', sinceMillis: 2, text: 'shard [0]: 501 operations behind' },
  { reason: 'refused', text: 'FAILING waits: 403. Give the privilege' },
];
const storedWaits = {
  waiting_for: { reason: 'permit', since_millis: 1 },
  held_up: { reason: 'gap', since_millis: 2, text: 'shard [0]: 501 operations behind' },
  obstacle: 'FAILING waits: 403. Give the privilege',
};

test('what a migration waits for is one list, in the fields that the version before knows', () => {
  const written = write({ waits });
  expect(written).toMatchObject(storedWaits);
  expect(written).not.toHaveProperty('waits');
  expect(read(written).waits).toEqual(waits);
});

test('trouble on the way to the swap is an obstacle to the version before, and has its date', () => {
  const trouble: MigrationRecord['waits'] = [
    { reason: 'cluster', sinceMillis: 3, text: 'ACTIVE waits: 429' },
  ];
  const written = write({ waits: trouble });
  expect(written).toMatchObject({ obstacle: 'ACTIVE waits: 429', obstacle_since_millis: 3 });
  expect(read(written).waits).toEqual(trouble);
});

test('a migration that ended in silence says nothing, and waits for nothing', () => {
  const written = write({});
  for (const field of ['error_message', 'reason', 'clearings', ...Object.keys(storedWaits)]) {
    expect(written).not.toHaveProperty(field);
  }
  expect(read(written)).toEqual(exampleMigration());
});

test('a record of the version before, as it is', () => {
  const before = {
    kind: 'migration',
    schema_version: 1,
    key: '0123456789abcdef0123',
    migration_id: 'books__books2__1000',
    source_index: 'books',
    target_index: 'books2',
    alias: 'library',
    phase: 'FAILING',
    shard_routing_mode: 'SAME_SHARD',
    source_shard_count: 1,
    target_shard_count: 1,
    start_time_millis: 1000,
    last_updated_millis: 1000,
    options: {
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 14_400,
      remove_source_write_block_on_success: false,
      transient_target_settings: {},
    },
    transition_history: [{ phase: 'FAILING', start_time_millis: 1000 }],
    error_message: `shard [books][0] failed: x; ${cleared}`,
    obstacle: storedWaits.obstacle,
    cluster_uuid: 'c',
    source_uuid: 'uuid of books',
    target_uuid: 'uuid of books2',
    source_routing: { routing_shard_count: 1024, partition_size: 1 },
    target_prepared: false,
    target_restored: false,
    commit_requested: false,
    token_taken: false,
    committed: false,
  };
  expect(read(before)).toEqual(
    exampleMigration({
      phase: 'FAILING',
      reason: 'shard [books][0] failed: x',
      clearings: [{ undone: true }],
      waits: [{ reason: 'refused', text: storedWaits.obstacle }],
    }),
  );
  // Written back, it has lost nothing that the version before looks at.
  expect(migrationCodec.write(read(before))).toMatchObject(before);
});
