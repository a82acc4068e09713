import { copyOf } from './record-ended';
import { parseRedisInfo } from './redis-figures';
import { createFleetReport } from './report';
import type { FleetResult, FleetRun } from './results';

const latencies = { requests: 20, failures: 0, p50Ms: 12.4, p99Ms: 99.6 };
const run: FleetRun = {
  migrations: 10,
  shards: 20,
  recorded: 1000,
  seconds: 42.04,
  migrationSeconds: [30, 35, 42],
  waitSeconds: [1, 2, 9.5],
  requests: 10_000,
  redisCommands: 30_000,
  redisBytes: 3 * 2 ** 20,
  cpuSeconds: { worker: 8, scheduler: 4, api: 1 },
  redisCpuSeconds: 2,
  clusterCpuSeconds: 50,
  status: latencies,
  list: latencies,
};
const result: FleetResult = {
  kind: 'fleet',
  date: '2026-01-01T00:00:00.000Z',
  commit: 'abc',
  machine: { cpus: 2, cpuModel: 'x', memoryBytes: 1, node: '20', openSearch: '3.7.0', loadBefore: 0.5 },
  documentsPerShard: 10,
  heapMb: 6144,
  runs: [run],
};

test('figures are told by shard, so that points can be compared', () => {
  const line = createFleetReport(result).find((each) => each.startsWith('| 10 x 20'));
  expect(line).toBe(
    '| 10 x 20 | 42.0 s | 30.0 / 35.0 / 42.0 s | 1.0 / 2.0 / 9.5 s | 50.0 | 150.0 | 3.0 MB | 20.0 ms | 40.0 ms | ' +
      '10.0 ms | 250.0 ms | 12 ms, 100 ms | 12 ms, 100 ms |',
  );
});

test('what Redis says of itself is read by name', () => {
  const text =
    '# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_memory:4096\r\ntotal_commands_processed:77\r\n';
  expect(parseRedisInfo(text)).toEqual({ commands: 77, cpuSeconds: 3.75, bytes: 4096 });
  expect(() => parseRedisInfo('used_memory:1')).toThrow('total_commands_processed');
});

test('a recorded copy has a key and an id of its own, began earlier, and keeps its shards', () => {
  const migration = {
    id: 'm-0',
    record: {
      kind: 'migration',
      key: 'old',
      migration_id: 'a__b__1',
      start_time_millis: 50_000,
      phase: 'COMPLETED',
    },
  };
  const shards = [{ id: 's-old-3', record: { kind: 'shard', key: 'old', shard: 3 } }];
  const [copied, shard] = copyOf(1, migration, shards);
  expect(copied?.record).toMatchObject({
    migration_id: 'a__b__1-1',
    start_time_millis: 48_000,
    phase: 'COMPLETED',
  });
  const key = copied?.record['key'];
  expect(key).toMatch(/^[0-9a-f]{20}$/);
  expect(copied?.id).toBe(`m-${String(key)}`);
  expect(shard).toEqual({ id: `s-${String(key)}-3`, record: { kind: 'shard', key, shard: 3 } });
  expect(copyOf(2, migration, shards)[0]?.id).not.toBe(copied?.id);
});
