import { Registry } from 'prom-client';
import { createFigures } from './figures';
import { createFleetMetrics } from './fleet-gauges';

function start() {
  const registry = new Registry();
  const linesOf = async (name: string): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
  return { fleet: createFleetMetrics(createFigures(registry)), linesOf };
}

test('the oldest write block has its age, and 0 when there is none', async () => {
  const { fleet, linesOf } = start();
  fleet.setWriteBlocks([3, 12.5]);
  expect(await linesOf('aosc_write_block')).toEqual([
    'aosc_write_blocks 2',
    'aosc_write_block_age_seconds 12.5',
  ]);
  fleet.setWriteBlocks([]);
  expect(await linesOf('aosc_write_block')).toEqual([
    'aosc_write_blocks 0',
    'aosc_write_block_age_seconds 0',
  ]);
});

test('what Redis does not answer is no number, and no series', async () => {
  const { fleet, linesOf } = start();
  expect(await linesOf('aosc_workers')).toEqual(['aosc_workers Nan']);
  fleet.setWorkers(0);
  fleet.setJobs({ replay: { waiting: 2, active: 1 } });
  expect(await linesOf('aosc_workers')).toEqual(['aosc_workers 0']);
  expect(await linesOf('aosc_jobs')).toEqual([
    'aosc_jobs{queue="replay",state="waiting"} 2',
    'aosc_jobs{queue="replay",state="active"} 1',
  ]);
  fleet.setWorkers(undefined);
  fleet.setJobs(undefined);
  expect(await linesOf('aosc_workers')).toEqual(['aosc_workers Nan']);
  expect(await linesOf('aosc_jobs')).toEqual([]);
});

test('a migration that is not named any more has no series left', async () => {
  const { fleet, linesOf } = start();
  const figures = {
    documentsIndexed: 5,
    documentsExpected: 9,
    gapOperations: undefined,
    remainingSeconds: undefined,
  };
  fleet.setProgress(new Map([['a', figures]]));
  fleet.setProgress(new Map([['b', { ...figures, gapOperations: 7, remainingSeconds: 60 }]]));
  expect(await linesOf('aosc_migration_')).toEqual([
    'aosc_migration_documents_indexed{source="b"} 5',
    'aosc_migration_documents_expected{source="b"} 9',
    'aosc_migration_gap_operations{source="b"} 7',
    'aosc_migration_remaining_seconds{source="b"} 60',
  ]);
});

test('each way to end is a series from the beginning: an increase can be seen', async () => {
  const { fleet, linesOf } = start();
  fleet.countMigrationEnded('FAILED');
  expect(await linesOf('aosc_migrations_ended')).toEqual([
    'aosc_migrations_ended_total{phase="COMPLETED"} 0',
    'aosc_migrations_ended_total{phase="CANCELLED"} 0',
    'aosc_migrations_ended_total{phase="FAILED"} 1',
  ]);
});
