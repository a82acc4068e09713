import type { MigrationSummary } from '@aosc/contract';
import { countGroups, filterFleet, progressOf, readFilter, writeFilter } from './filter-fleet';
import { applyEvents, applyList, emptyFleet, findBySource, findNewer } from './fleet-store';

const summary = (name: string, parts: Partial<MigrationSummary> = {}): MigrationSummary => ({
  migration_id: `${name}__1`,
  source_index: name,
  target_index: `${name}-2`,
  alias: 'books',
  phase: 'ACTIVE',
  start_time_millis: 1,
  last_updated_millis: 2,
  shards_by_phase: {},
  is_terminal: false,
  shard_count: 2,
  elapsed_seconds: 0,
  shard_routing_mode: 'SAME_SHARD',
  target_shard_count: 2,
  ...parts,
});
const progress = {
  shards_known: 1,
  total_documents: 100,
  documents_indexed: 50,
  copied_percent: 25,
  documents_per_second: 5,
  bytes_per_second: 9,
};

describe('batches of events', () => {
  test('change what they name, and nothing else', () => {
    const first = applyEvents(
      emptyFleet,
      [
        { event: 'reset', data: {} },
        { event: 'migration', data: summary('a') },
        { event: 'migration', data: summary('b') },
        { event: 'totals', data: { by_phase: { ACTIVE: 2 }, truncated: false } },
        { event: 'ready', data: { at_millis: 7 } },
      ],
      'stream',
    );
    expect(first).toMatchObject({ atMillis: 7, liveness: { state: 'live', by: 'stream' } });
    const second = applyEvents(
      first,
      [
        { event: 'gone', data: { migration_id: 'a__1' } },
        { event: 'ready', data: { at_millis: 8 } },
      ],
      'other_tab',
    );
    expect([...second.migrations.keys()]).toEqual(['b__1']);
    expect([...first.migrations.keys()]).toEqual(['a__1', 'b__1']);
    expect(second.migrations.get('b__1')).toBe(first.migrations.get('b__1'));
  });

  test('without a change leave the list the very one it was', () => {
    const { migrations } = applyEvents(emptyFleet, [{ event: 'ready', data: { at_millis: 8 } }], 'stream');
    expect(migrations).toBe(emptyFleet.migrations);
  });

  test('of trouble keep what was shown', () => {
    const before = applyEvents(emptyFleet, [{ event: 'migration', data: summary('a') }], 'stream');
    const after = applyEvents(before, [{ event: 'trouble', data: { reason: 'why' } }], 'stream');
    expect(after.migrations.size).toBe(1);
    expect(after.liveness).toEqual({ state: 'trouble', reason: 'why' });
  });
});

test('without a stream the list is what is shown', () => {
  const { shard_routing_mode: _mode, target_shard_count: _count, ...item } = summary('a');
  const state = applyList(emptyFleet, { migrations: [item], truncated: true, active_count: 1 }, 9);
  expect(state).toMatchObject({
    totals: { by_phase: { ACTIVE: 1 }, truncated: true },
    liveness: { state: 'live', by: 'polls' },
    atMillis: 9,
  });
  expect([...state.migrations.keys()]).toEqual(['a__1']);
});

test('the newest migration of a source', () => {
  const two = [summary('a'), summary('a', { migration_id: 'a__2', start_time_millis: 2 }), summary('b')];
  const migrations = new Map(two.map((one) => [one.migration_id, one]));
  expect(findBySource(migrations, 'a')?.migration_id).toBe('a__2');
  expect(findBySource(migrations, 'c')).toBeUndefined();
  expect(findNewer(migrations, { source_index: 'a', start_time_millis: 1 })?.migration_id).toBe('a__2');
  expect(findNewer(migrations, { source_index: 'a', start_time_millis: 2 })).toBeUndefined();
});

describe('the list', () => {
  const all = [
    summary('a', { start_time_millis: 1, progress }),
    summary('b', { start_time_millis: 2, phase: 'FAILED', gap: 5 }),
    summary('c', { start_time_millis: 3, waiting_for: { reason: 'worker', since_millis: 1 }, gap: 50 }),
  ];
  const names = (query: string) =>
    filterFleet(all, readFilter(new URLSearchParams(query))).map((one) => one.source_index);

  test.each([
    ['', ['c', 'b', 'a']],
    ['sort=oldest', ['a', 'b', 'c']],
    ['sort=gap', ['c', 'b', 'a']],
    ['sort=progress', ['a', 'c', 'b']],
    ['state=waiting', ['c']],
    ['state=nonsense&sort=nonsense', ['c', 'b', 'a']],
    ['q=BOOKS a-2', ['a']],
    ['q=nothing', []],
  ])('%s', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });

  test('counts', () => {
    expect(countGroups(all)).toEqual({ running: 1, waiting: 1, completed: 0, failed: 1, cancelled: 0 });
  });

  test('a filter goes through the address unchanged', () => {
    const filter = { text: 'a b', group: 'failed', sort: 'gap' } as const;
    expect(readFilter(writeFilter(filter))).toEqual(filter);
    expect(writeFilter(readFilter(new URLSearchParams())).toString()).toBe('');
  });
});

test('progress is as the API has it', () => {
  expect(progressOf(summary('a', { progress }))).toBe(25);
  expect(progressOf(summary('a'))).toBeUndefined();
  expect(progressOf(summary('a', { phase: 'COMPLETED' }))).toBe(100);
});
