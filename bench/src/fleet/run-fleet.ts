import type { Service } from '@aosc/stack';
import {
  createHttpClient,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type HttpClient,
  loadDocuments,
  startMigration,
  type StatusDocument,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { byProcess, readCosts } from '../aosc-run';
import { readClusterCpuSeconds, readVersion } from '../cluster';
import { type PassedCall, startCountingProxy } from '../cutover/counting-proxy';
import { noteCircumstances } from '../machine';
import { percentileOf } from '../percentile';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { startTicks, timeLimit } from '@aosc/signals';
import { toFigures } from './figures';
import { poll } from './poller';
import type { FleetOptions, FleetPoint } from './options';
import { recordEnded } from './record-ended';
import { watchRedis, type RedisWatch } from './redis-figures';
import type { FleetResult, FleetRun, Latencies } from './results';

const timeoutMs = 3_600_000;
/** of those who look at the status of one migration, and at the list */
const looksPerSecond = 2;
const redisEveryMs = 500;
const pollMs = 500;
/** A node takes 1,000 shards and 300 points in time by itself. */
const nodeSettings = { 'cluster.max_shards_per_node': 30_000, 'search.max_open_pit_context': 60_000 };
const warmUp: FleetPoint = { migrations: 2, shards: 5 };

interface Bench {
  readonly options: FleetOptions;
  readonly http: HttpClient;
  readonly service: Service;
  readonly redis: RedisWatch;
  readonly calls: { count: number };
  readonly signal: AbortSignal;
}

/** Many small migrations at once: what the service itself costs, and how it grows with their number. */
export async function runFleetBench(
  options: FleetOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<FleetResult> {
  const describeCircumstances = noteCircumstances();
  const calls = { count: 0 };
  const onCall = ({ opaqueId }: PassedCall): void => {
    if (opaqueId !== 'aosc-api') calls.count += 1;
  };
  const { documentsPerShard, heapMb } = options;
  const connect = (url: string) => startCountingProxy(url, 0, onCall);
  const measured = await runOnStack(
    { say, signal, nodeSettings, heapMb, connect },
    async (urls, service, alive, redisUrl) => {
      const http = createHttpClient(urls);
      const redis = watchRedis(redisUrl);
      const bench: Bench = { options, http, service, redis, calls, signal: alive };
      try {
        say('Warming up');
        await measurePoint(bench, warmUp);
        if (options.recorded > 0) {
          say(`Recording ${group(options.recorded)} migrations that have ended`);
          await recordEnded(http, options.recorded);
        }
        const runs: FleetRun[] = [];
        for (const point of options.points) {
          const run = await measurePoint(bench, point);
          say(describeRun(run));
          runs.push(run);
        }
        return { runs, openSearch: await readVersion(http) };
      } finally {
        redis.stop();
        http.close();
      }
    },
  );
  return {
    kind: 'fleet',
    ...describeCircumstances(measured.openSearch),
    documentsPerShard,
    heapMb,
    runs: measured.runs,
  };
}

type Names = ReturnType<typeof namesOf>;

const namesOf = (n: number) => ({
  source: `fleet-${n}-v1`,
  target: `fleet-${n}-v2`,
  alias: `fleet-${n}`,
});

async function measurePoint(bench: Bench, point: FleetPoint): Promise<FleetRun> {
  const { http, service, redis, calls, options, signal } = bench;
  const { migrations, shards } = point;
  const all = Array.from({ length: migrations }, (_, n) => namesOf(n));
  for (const names of all) await prepare(http, names, shards, options.documentsPerShard, signal);
  const costs = await readCosts(service);
  const clusterCpu = await readClusterCpuSeconds(http);
  const before = await redis.read();
  const requests = calls.count;
  try {
    const { seconds, states, status, list, redisBytes } = await runAll(bench, all);
    const after = await redis.read();
    const costsAfter = await readCosts(service);
    const cpuSeconds = byProcess(
      costsAfter,
      (cost, name) => cost.cpuSeconds - (costs?.[name].cpuSeconds ?? 0),
    );
    return {
      ...point,
      recorded: options.recorded,
      seconds,
      migrationSeconds: spread(states.map(lifetimeOf)),
      waitSeconds: spread(states.map(longestWaitOf)),
      requests: calls.count - requests,
      redisCommands: after.commands - before.commands,
      redisBytes,
      ...(cpuSeconds !== undefined && { cpuSeconds }),
      redisCpuSeconds: after.cpuSeconds - before.cpuSeconds,
      clusterCpuSeconds: (await readClusterCpuSeconds(http)) - clusterCpu,
      status,
      list,
    };
  } finally {
    await deleteIndices(
      http,
      all.flatMap(({ source, target }) => [source, target]),
    );
  }
}

interface AllDone extends Pick<FleetRun, 'seconds' | 'status' | 'list' | 'redisBytes'> {
  readonly states: readonly StatusDocument[];
}

/** Starts all of them and waits for their ends, while somebody looks at the first one and at the list. */
async function runAll({ service, redis, signal }: Bench, all: readonly Names[]): Promise<AllDone> {
  const memory = watchMemory(redis);
  const ended = new AbortController();
  const until = AbortSignal.any([ended.signal, signal]);
  const begin = performance.now();
  try {
    for (const names of all) {
      await startMigration(service.apiUrl, {
        ...names,
        options: {
          remove_source_write_block_on_success: true,
          accept_data_loss_if_custom_routing_is_used: true,
        },
      });
    }
    const look = async (path: string): Promise<Latencies> => {
      const url = `${service.apiUrl}/_plugins/_aosc/${path}`;
      return toLatencies(await poll({ url, rate: looksPerSecond, until }));
    };
    const looking = Promise.all([look(`${namesOf(0).source}/_status`), look('_list')]);
    const states: StatusDocument[] = [];
    for (const { source } of all) {
      const waiting = { signal, timeoutMs, intervalMs: pollMs };
      states.push(await waitForPhase(service.apiUrl, source, terminalPhases, waiting));
    }
    const seconds = (performance.now() - begin) / 1000;
    ended.abort();
    const [status, list] = await looking;
    const failed = states.find(({ phase }) => phase !== 'COMPLETED');
    if (failed !== undefined) throw new Error(`${failed.phase}: ${failed.error_message ?? ''}`);
    return { seconds, states, status, list, redisBytes: memory.most() };
  } finally {
    ended.abort();
    memory.stop();
  }
}

/** @returns the most that a Redis had in memory at any look; throws what a look has thrown */
function watchMemory(redis: RedisWatch): { most(): number; stop(): void } {
  let most = 0;
  const failures: unknown[] = [];
  const look = async (): Promise<void> => {
    most = Math.max(most, (await redis.read()).bytes);
  };
  const ticks = startTicks(redisEveryMs, look, (error) => failures.push(error));
  return {
    most() {
      if (failures.length > 0) throw failures[0];
      return most;
    },
    stop: () => ticks.stop(),
  };
}

async function prepare(
  http: HttpClient,
  { source, target, alias }: Names,
  shards: number,
  documentsPerShard: number,
  signal: AbortSignal,
): Promise<void> {
  await deleteIndices(http, [source, target]);
  await createSourceIndex(http, { name: source, shards, alias });
  await createTargetIndex(http, { name: target, shards: 1 });
  const documents = function* () {
    for (let n = 0; n < shards * documentsPerShard; n += 1) {
      yield { id: `d${n}`, source: JSON.stringify({ key: `k${n}`, revision: 0, title: 'a small document' }) };
    }
  };
  await loadDocuments(http, source, documents(), timeLimit(timeoutMs, signal));
}

function lifetimeOf({ start_time_millis: start, transition_history: history = [] }: StatusDocument): number {
  return ((history.at(-1)?.start_time_millis ?? NaN) - start) / 1000;
}

/** Until the last of its shards began to be copied. */
function longestWaitOf({ start_time_millis: start, shards }: StatusDocument): number {
  const begins = Object.values(shards).map(
    ({ transition_history: history = [] }) =>
      history.find(({ phase }) => phase === 'BACKFILLING')?.start_time_millis ?? NaN,
  );
  return (Math.max(...begins) - start) / 1000;
}

const spread = (values: readonly number[]): readonly [number, number, number] => [
  Math.min(...values),
  percentileOf(values, 0.5),
  Math.max(...values),
];

function toLatencies(polls: Parameters<typeof toFigures>[0]): Latencies {
  const { requests, failures, p50Ms, p99Ms } = toFigures(polls, 1, undefined);
  return { requests, failures, p50Ms, p99Ms };
}

function describeRun(run: FleetRun): string {
  const { migrations, shards, seconds, requests, redisCommands, redisBytes, cpuSeconds, status, list } = run;
  const count = migrations * shards;
  return (
    `${migrations} x ${shards} shards: ${seconds.toFixed(1)} s, ${(requests / count).toFixed(0)} requests and ` +
    `${(redisCommands / count).toFixed(0)} commands of Redis a shard, scheduler ${(cpuSeconds?.scheduler ?? NaN).toFixed(1)} s ` +
    `of CPU, Redis ${(redisBytes / 2 ** 20).toFixed(1)} MB, p99 of the status ${Math.round(status.p99Ms)} ms, of the list ` +
    `${Math.round(list.p99Ms)} ms`
  );
}
