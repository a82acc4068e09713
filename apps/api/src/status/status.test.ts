import { createParser, type MigrationRecord, StatusSchema } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { createMigration } from '../__tests__/create-migration';
import { toListItem, readListRequest } from './list';
import { toStatusDocument } from './status-document';

const parse = createParser('status', StatusSchema);
const key = '0123456789abcdef0123';

test('the status of a new migration', () => {
  const shards = [0, 1].map((shard) => newShardRecord(key, shard, 1000));
  const document = toStatusDocument(createMigration(), shards);
  expect(parse(document)).toBe(document);
  const shard = {
    phase: 'PENDING',
    last_replayed_seq_no: -1,
    target_seq_no: -1,
    backfill_cutoff_seq_no: -1,
    transition_history: [{ phase: 'PENDING', start_time_millis: 1000 }],
    meta: {},
  };
  expect(document).toEqual({
    migration_id: 'books__books2__1000',
    source_index: 'books',
    target_index: 'books2',
    alias: 'library',
    phase: 'ACTIVE',
    shard_routing_mode: 'SPLIT_SHARD',
    delete_routing_strategy: 'TRANSLOG_ROUTING',
    start_time_millis: 1000,
    last_updated_millis: 6500,
    options: {
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 14_400,
      remove_source_write_block_on_success: false,
      transient_target_settings: { 'index.number_of_replicas': '0' },
    },
    shards: { '0': shard, '1': shard },
    transition_history: [{ phase: 'ACTIVE', start_time_millis: 1000 }],
    meta: { 'write_block.applied': 'false', 'alias.swapped': 'false' },
  });
});

test("the status of a completed one: counters, cutover, meta; nothing of the service's own", () => {
  const counters = {
    status: 'COMPLETED',
    documentsIndexed: 12,
    bulkRetries: 1,
    rounds: 2,
    currentGap: 0,
    startTimeMillis: 1000,
    endTimeMillis: 2000,
  } as const;
  const migration = createMigration({
    phase: 'COMPLETED',
    committed: true,
    writeBlock: { requestedAtMillis: 3000, usersOwn: false, confirmed: true, lifted: false },
    targetOriginals: { 'index.number_of_replicas': '1', 'index.refresh_interval': null },
    cutoverContext: {
      sourceDocCount: 12,
      targetDocCount: 12,
      docCountTolerance: 0,
      docCountValidationPassed: true,
      aliasSwapSucceeded: true,
      cutoverStartMillis: 3000,
      cutoverEndMillis: 3500,
    },
  });
  const document = toStatusDocument(migration, [{ ...newShardRecord(key, 0, 1000), backfill: counters }]);
  expect(document.shards['0']?.backfill).toEqual({
    status: 'COMPLETED',
    documents_indexed: 12,
    bulk_retries: 1,
    rounds: 2,
    current_gap: 0,
    start_time_millis: 1000,
    end_time_millis: 2000,
  });
  expect(document.cutover_context).toMatchObject({ alias_swap_succeeded: true, cutover_end_millis: 3500 });
  expect(document.meta).toEqual({
    'write_block.applied': 'true',
    'alias.swapped': 'true',
    'target.original.index.number_of_replicas': '1',
    'target.original.index.refresh_interval': '',
  });
  expect(Object.keys(document)).not.toEqual(expect.arrayContaining(['key']));
  expect(Object.keys(document.shards['0'] ?? {})).not.toEqual(expect.arrayContaining(['writer']));
});

test('what keeps a migration from ending is shown beside the reason of its end', () => {
  const obstacle = 'FAILING waits: PUT /books/_settings answered 403';
  const waits = [{ reason: 'refused', text: obstacle }] as const;
  const migration = createMigration({ phase: 'FAILING', reason: 'counts differ', waits });
  const shown = { error_message: `counts differ; ${obstacle}` };
  expect(toStatusDocument(migration, [])).toMatchObject({ ...shown, meta: { obstacle } });
  expect(toListItem(migration, {}, 0)).toMatchObject(shown);
  expect(toListItem(createMigration({ phase: 'CANCELLING', waits }), {}, 0)).toMatchObject({
    error_message: obstacle,
  });
});

test('what it waits for is shown, and the want of a worker before all else', () => {
  const heldUp = { reason: 'target', sinceMillis: 7000, text: 'not GREEN' } as const;
  const shown = { reason: 'target', since_millis: 7000, text: 'not GREEN' };
  expect(toStatusDocument(createMigration({ waits: [heldUp] }), []).waiting_for).toEqual(shown);
  const waitingFor = { reason: 'worker', sinceMillis: 8000 } as const;
  expect(toStatusDocument(createMigration({ waits: [waitingFor, heldUp] }), []).waiting_for).toEqual({
    reason: 'worker',
    since_millis: 8000,
  });
  expect(toStatusDocument(createMigration(), [])).not.toHaveProperty('waiting_for');
});

test('a list item sums up', () => {
  const migration = createMigration({
    phase: 'FAILED',
    reason: 'shard [books][1] failed: x',
    transitionHistory: [{ phase: 'FAILED', startTimeMillis: 6000, endTimeMillis: 6000 }],
  });
  expect(toListItem(migration, { FAILED: 1, COMPLETED: 1, BACKFILLING: 0 }, 99_000)).toEqual({
    migration_id: 'books__books2__1000',
    source_index: 'books',
    target_index: 'books2',
    alias: 'library',
    phase: 'FAILED',
    start_time_millis: 1000,
    last_updated_millis: 6000,
    error_message: 'shard [books][1] failed: x',
    shards_by_phase: { COMPLETED: 1, FAILED: 1 },
    is_terminal: true,
    shard_count: 2,
    elapsed_seconds: 5,
  });
});

test('the time goes on while a migration runs, whatever its record says, and stands still from its end on', () => {
  const cutoverContext = {
    sourceDocCount: 12,
    targetDocCount: 11,
    docCountTolerance: 0,
    docCountValidationPassed: false,
    aliasSwapSucceeded: false,
    cutoverStartMillis: 5000,
  };
  const running = createMigration({ phase: 'COMPLETING', cutoverContext });
  const figuresOf = (migration: MigrationRecord, nowMillis: number) => {
    const item = toListItem(migration, {}, nowMillis);
    return [item.last_updated_millis, item.elapsed_seconds, item.cutover?.duration_millis];
  };
  expect(figuresOf(running, 9000)).toEqual([9000, 8, 4000]);
  expect(figuresOf(running, 61_000)).toEqual([61_000, 60, 56_000]);
  // The clock of another machine may be behind.
  expect(figuresOf(running, 500)).toEqual([500, 0, 0]);
  const end = { phase: 'FAILED', startTimeMillis: 8000, endTimeMillis: 8000 } as const;
  const ended = { ...running, phase: end.phase, transitionHistory: [...running.transitionHistory, end] };
  expect(figuresOf({ ...ended, lastUpdatedMillis: 70_000 }, 99_000)).toEqual([8000, 7, 3000]);
});

describe('parameters of _list', () => {
  test('defaults, clamping, any case, ACTIVE', () => {
    expect(readListRequest({})).toEqual({ phases: undefined, size: 50 });
    expect(readListRequest({ size: '501', status: 'ALL' })).toEqual({ phases: undefined, size: 500 });
    expect(readListRequest({ status: ' failed , Completed' }).phases).toEqual(['FAILED', 'COMPLETED']);
    expect(readListRequest({ status: 'active,ACTIVE' }).phases).toEqual([
      'ACTIVE',
      'PREPARING_TARGET',
      'CUTTING_OVER',
      'CATCHING_UP',
      'COMPLETING',
      'CANCELLING',
      'FAILING',
    ]);
  });

  test.each([
    [{ size: '0' }, 'size must be > 0, got: 0'],
    [{ size: '-3' }, 'size must be > 0, got: -3'],
    [{ size: 'many' }, 'Failed to parse int parameter [size] with value [many]'],
    [{ status: ' ' }, 'status must not be blank'],
    [{ status: 'FAILED,,ACTIVE' }, "status contains an empty token: 'FAILED,,ACTIVE'"],
    [
      { status: 'all,FAILED' },
      "unknown status: 'all'. Expected one of: all, ACTIVE, [ACTIVE, PREPARING_TARGET",
    ],
    [{ status: 'DONE' }, "unknown status: 'DONE'"],
  ])('%j is refused', (query, reason) => {
    expect(() => readListRequest(query)).toThrow(reason);
  });
});
