import { cpus } from 'node:os';
import type { Service } from '@aosc/stack';
import { createHttpClient, type HttpClient } from '@aosc/testkit';
import { runAosc } from '../aosc-run';
import { createSource, readVersion } from '../cluster';
import { noteCircumstances } from '../machine';
import { readProcessCost } from '../process-cost';
import { applyProfile, highThroughput } from '../profiles';
import { runReindex } from '../reindex-run';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { medianOf } from '../summary';
import type { ScaleOptions, ScalePoint } from './options';
import type { ScaleResult, ScaleRun } from './results';

const reindexPage = 5000;

/** The same copy with more workers and more nodes, which share one machine's CPUs. */
export async function runScaleBench(
  options: ScaleOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ScaleResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, rounds } = options;
  const runs: ScaleRun[] = [];
  let version = 'unknown';
  for (const point of options.points) {
    const run = await runOnStack({ ...point, say, signal }, async (urls, service, alive) => {
      const http = createHttpClient(urls);
      try {
        version = await readVersion(http);
        return await measurePoint(http, service, point, options, alive);
      } finally {
        http.close();
      }
    });
    say(describeRun(run));
    runs.push(run);
  }
  return {
    kind: 'scale',
    ...describeCircumstances(version),
    documents,
    sourceShards,
    targetShards,
    rounds,
    settings: highThroughput,
    runs,
  };
}

interface Copy extends Pick<ScaleRun, 'clusterCpuSeconds' | 'serviceCpuSeconds' | 'busy' | 'fairness'> {
  readonly copyDocsPerSecond: number;
  readonly reindexDocsPerSecond: number;
}

async function measurePoint(
  http: HttpClient,
  service: Service,
  { workers, nodes }: ScalePoint,
  options: ScaleOptions,
  signal: AbortSignal,
): Promise<ScaleRun> {
  await createSource(http, options, signal);
  await applyProfile(service.apiUrl, highThroughput);
  const copies: Copy[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    const reindex = await runReindex(http, options, round, reindexPage, signal);
    const before = await readCpu(service);
    const copy = await runAosc(http, service, options, round, signal);
    const after = await readCpu(service);
    if (round === 0) continue;
    const spent = after.map((seconds, at) => seconds - (before[at] ?? 0));
    const ofWorkers = spent.slice(0, service.workers.length);
    const serviceCpuSeconds = spent.reduce((sum, seconds) => sum + seconds, 0);
    copies.push({
      copyDocsPerSecond: copy.backfillDocsPerSecond,
      reindexDocsPerSecond: reindex.docsPerSecond,
      clusterCpuSeconds: copy.clusterCpuSeconds,
      serviceCpuSeconds,
      busy: (copy.clusterCpuSeconds + serviceCpuSeconds) / ((copy.endToEndMs / 1000) * cpus().length),
      fairness: Math.min(...ofWorkers) / Math.max(...ofWorkers),
    });
  }
  const median = (of: (copy: Copy) => number): number => medianOf(copies.map(of));
  return {
    workers,
    nodes,
    copyDocsPerSecond: median((copy) => copy.copyDocsPerSecond),
    copyRatio: median((copy) => copy.copyDocsPerSecond / copy.reindexDocsPerSecond),
    reindexDocsPerSecond: median((copy) => copy.reindexDocsPerSecond),
    clusterCpuSeconds: median((copy) => copy.clusterCpuSeconds),
    serviceCpuSeconds: median((copy) => copy.serviceCpuSeconds),
    busy: median((copy) => copy.busy),
    fairness: median((copy) => copy.fairness),
  };
}

/** CPU seconds of each process since it began: the workers first. @throws Error on a system without /proc */
async function readCpu({ workers, schedulers, api }: Service): Promise<readonly number[]> {
  return Promise.all(
    [...workers, ...schedulers, api].map(async ({ pid }) => {
      const cost = await readProcessCost(pid);
      if (cost === undefined) throw new Error('the CPU time of a process is not told here');
      return cost.cpuSeconds;
    }),
  );
}

/** One line for a point. */
export function describeRun(run: ScaleRun): string {
  return (
    `${run.workers} worker(s), ${run.nodes} node(s): copy ${group(run.copyDocsPerSecond)} docs/s, ` +
    `${run.copyRatio.toFixed(2)} of _reindex (${group(run.reindexDocsPerSecond)}); CPU of the cluster ` +
    `${run.clusterCpuSeconds.toFixed(1)} s, of the service ${run.serviceCpuSeconds.toFixed(1)} s; the machine busy for ` +
    `${Math.round(100 * run.busy)} %; the least busy worker did ${Math.round(100 * run.fairness)} % of the busiest`
  );
}
