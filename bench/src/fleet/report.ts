import { describeLoad, group } from '../report';
import type { FleetResult, FleetRun } from './results';

type Column = readonly [head: string, read: (run: FleetRun) => string];

const shardsOf = ({ migrations, shards }: FleetRun): number => migrations * shards;
const perShard = (value: number, run: FleetRun): string => (value / shardsOf(run)).toFixed(1);
const ms = (value: number): string => `${group(Math.round(value))} ms`;
const range = ([least, median, most]: readonly [number, number, number]): string =>
  `${least.toFixed(1)} / ${median.toFixed(1)} / ${most.toFixed(1)} s`;

const columns: readonly Column[] = [
  ['migrations x shards', ({ migrations, shards }) => `${migrations} x ${shards}`],
  ['in all', ({ seconds }) => `${seconds.toFixed(1)} s`],
  ['a migration', ({ migrationSeconds }) => range(migrationSeconds)],
  ['until its last shard began', ({ waitSeconds }) => range(waitSeconds)],
  ['requests/shard', (run) => perShard(run.requests, run)],
  ['Redis commands/shard', (run) => perShard(run.redisCommands, run)],
  ['Redis', ({ redisBytes }) => `${(redisBytes / 2 ** 20).toFixed(1)} MB`],
  ['CPU of the scheduler/shard', (run) => `${perShard(1000 * (run.cpuSeconds?.scheduler ?? NaN), run)} ms`],
  ['of the worker', (run) => `${perShard(1000 * (run.cpuSeconds?.worker ?? NaN), run)} ms`],
  ['of Redis', (run) => `${perShard(1000 * run.redisCpuSeconds, run)} ms`],
  ['of the cluster', (run) => `${perShard(1000 * run.clusterCpuSeconds, run)} ms`],
  ['status p50, p99', ({ status }) => `${ms(status.p50Ms)}, ${ms(status.p99Ms)}`],
  ['list p50, p99', ({ list }) => `${ms(list.p50Ms)}, ${ms(list.p99Ms)}`],
];

/** A table with one line for each point, as Markdown. */
export function createFleetReport({ runs, machine, documentsPerShard }: FleetResult): readonly string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `${documentsPerShard} documents a shard, ${group(runs[0]?.recorded ?? 0)} ended migrations in the records; least, ` +
      'median and most of the migrations of a point',
    '',
    row(columns.map(([head]) => head)),
    row(columns.map(() => '---')),
    ...runs.map((run) => row(columns.map(([, read]) => read(run)))),
    '',
    describeLoad(machine),
  ];
}
