import type { MigrationPhase, MigrationSummary } from '@aosc/contract';
import { createFleet } from './fleet';

const summary = (id: string, phase: MigrationPhase = 'ACTIVE'): MigrationSummary => ({
  migration_id: id,
  source_index: `${id}-source`,
  target_index: `${id}-target`,
  alias: id,
  phase,
  start_time_millis: 1,
  last_updated_millis: 2,
  shards_by_phase: {},
  is_terminal: false,
  shard_count: 0,
  elapsed_seconds: 0,
  shard_routing_mode: 'SAME_SHARD',
  target_shard_count: 1,
});
const everybody = () => true;

test('a reader that has seen nothing gets everything, after a reset', () => {
  const fleet = createFleet();
  fleet.replace([summary('a'), summary('b')], false, 0);
  expect(fleet.eventsFor({ seen: undefined, mayUse: everybody })).toEqual([
    { event: 'reset', data: {} },
    { event: 'migration', data: summary('a') },
    { event: 'migration', data: summary('b') },
  ]);
});

test('one that comes back gets what has changed since, and what has gone', () => {
  const fleet = createFleet();
  fleet.replace([summary('a'), summary('b'), summary('c')], false, 0);
  const seen = fleet.version;
  fleet.update([summary('a', 'COMPLETED'), summary('b')], 0);
  fleet.replace([summary('a', 'COMPLETED'), summary('b')], false, 0);
  expect(fleet.eventsFor({ seen, mayUse: everybody })).toEqual([
    { event: 'gone', data: { migration_id: 'c' } },
    { event: 'migration', data: summary('a', 'COMPLETED') },
  ]);
  expect(fleet.eventsFor({ seen: fleet.version, mayUse: everybody })).toEqual([]);
});

test('what a reader may not use is neither shown, nor counted, nor told as gone', () => {
  const fleet = createFleet();
  fleet.replace([summary('a'), summary('b')], true, 0);
  const mayUse = (index: string) => index === 'a-source';
  expect(fleet.eventsFor({ seen: undefined, mayUse })).toHaveLength(2);
  expect(fleet.totalsFor(mayUse)).toEqual({ by_phase: { ACTIVE: 1 }, truncated: true });
  const seen = fleet.version;
  fleet.replace([], true, 0);
  expect(fleet.eventsFor({ seen, mayUse })).toEqual([{ event: 'gone', data: { migration_id: 'a' } }]);
});

test('who was away for longer than is remembered begins anew, as does who has seen the future', () => {
  const fleet = createFleet();
  fleet.replace([summary('first')], false, 0);
  const seen = fleet.version;
  for (let n = 0; n <= 501; n += 1) fleet.replace([summary(`m${n}`)], false, 0);
  expect(fleet.eventsFor({ seen, mayUse: everybody })[0]).toEqual({ event: 'reset', data: {} });
  expect(fleet.eventsFor({ seen: fleet.version + 1, mayUse: everybody })[0]).toEqual({
    event: 'reset',
    data: {},
  });
});
