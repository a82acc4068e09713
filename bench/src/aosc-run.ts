import {
  deleteIndices,
  type HttpClient,
  type StatusDocument,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { type ProcessCost, readProcessCost } from '@aosc/local-stack';
import type { Service } from '@aosc/stack';
import {
  alias,
  dropDeleted,
  expectFullTarget,
  readClusterCpuSeconds,
  reset,
  source,
  target,
} from './cluster';
import { compareEstimates, plan } from './foreseen';
import { runVerification } from './verify-run';
import type { AoscRun, ByName, ByProcess } from './results';
import { type CopyTask, expectTransformed } from './transform';
import { byFilesRequest, runOptions, startRun } from './start-run';

const timeoutMs = 3_600_000;
const pollMs = 500;

/** One migration from the start request to COMPLETED. */
export async function runAosc(
  http: HttpClient,
  service: Service,
  task: CopyTask,
  round: number,
  signal: AbortSignal,
): Promise<AoscRun> {
  await reset(http, task, signal);
  if (task.byFiles) await deleteIndices(http, [target]);
  const { transform } = task;
  const script = transform && {
    transformScript: { type: 'inline', source: transform.source, params: transform.params },
  };
  const estimates = task.byFiles
    ? undefined
    : await plan(service.apiUrl, { target, alias, options: runOptions, ...script });
  const cpuBefore = await readClusterCpuSeconds(http);
  const before = await readCosts(service);
  const startedAt = performance.now();
  await startRun(service.apiUrl, {
    ...script,
    ...(task.byFiles && byFilesRequest(task.targetShards)),
  });
  const status = await waitForPhase(service.apiUrl, source, terminalPhases, {
    signal,
    timeoutMs,
    intervalMs: pollMs,
  });
  const endToEndMs = performance.now() - startedAt;
  const after = await readCosts(service);
  if (status.phase !== 'COMPLETED') throw new Error(`${status.phase}: ${status.error_message ?? ''}`);
  await expectFullTarget(http, task.documents);
  if (task.byFiles) await dropDeleted(http, signal);
  const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
  await expectTransformed(http, task);
  const backfillMs = backfillTime(status);
  const cutoverMs = cutoverTime(status);
  const convergedMs = convergedTime(status);
  const cpuSeconds = byProcess(after, (cost, name) => cost.cpuSeconds - (before?.[name].cpuSeconds ?? 0));
  const copy = { backfillMs, clusterCpuSeconds, workerCpuSeconds: cpuSeconds?.worker ?? NaN };
  return {
    kind: 'aosc',
    round,
    clusterCpuSeconds,
    backfillMs,
    backfillDocsPerSecond: (task.documents / backfillMs) * 1000,
    convergedMs,
    convergedDocsPerSecond: (task.documents / convergedMs) * 1000,
    endToEndMs,
    endToEndDocsPerSecond: (task.documents / endToEndMs) * 1000,
    cutoverMs,
    foreseen: estimates && (await compareEstimates(http, estimates, { backfillMs, cutoverMs })),
    bulkRetries: Object.values(status.shards).reduce(
      (sum, shard) => sum + (shard.backfill?.bulk_retries ?? 0),
      0,
    ),
    verified: task.isVerified ? await measureVerification(http, service, task, copy, signal) : undefined,
    cpuSeconds,
    peakBytes: byProcess(after, (cost) => cost.peakBytes),
  };
}

/** What a verification by content takes, as parts of what the copy took: of the worker's CPU for all of the migration. */
async function measureVerification(
  http: HttpClient,
  service: Service,
  { documents }: CopyTask,
  copy: Readonly<Record<'backfillMs' | 'clusterCpuSeconds' | 'workerCpuSeconds', number>>,
  signal: AbortSignal,
): Promise<ByName> {
  const read = async () => ({
    cluster: await readClusterCpuSeconds(http),
    worker: (await readCosts(service))?.worker.cpuSeconds ?? NaN,
  });
  const before = await read();
  const ms = await runVerification(service.apiUrl, documents, signal);
  const after = await read();
  return {
    time: ms / copy.backfillMs,
    cluster: (after.cluster - before.cluster) / copy.clusterCpuSeconds,
    worker: (after.worker - before.worker) / copy.workerCpuSeconds,
  };
}

/**
 * From the first shard's BACKFILLING to the last shard's end of it: what a shard waits for its turn in between counts.
 * @throws Error when a shard has not been through that phase
 */
export function backfillTime(status: StatusDocument): number {
  const entries = Object.values(status.shards).map(({ transition_history: history = [] }) =>
    history.find(({ phase }) => phase === 'BACKFILLING'),
  );
  const starts = entries.map((entry) => entry?.start_time_millis ?? NaN);
  const ends = entries.map((entry) => entry?.end_time_millis ?? NaN);
  const elapsed = Math.max(...ends) - Math.min(...starts);
  if (!Number.isFinite(elapsed) || elapsed <= 0)
    throw new Error('the status does not tell how long the backfill took');
  return elapsed;
}

/** From the start to the moment when all shards have converged. */
function convergedTime({
  start_time_millis: start,
  transition_history: history = [],
}: StatusDocument): number {
  const converged = history.find(({ phase }) => phase === 'PREPARING_TARGET');
  return (converged?.start_time_millis ?? NaN) - start;
}

function cutoverTime({ cutover_context: cutover }: StatusDocument): number {
  return (cutover?.cutover_end_millis ?? NaN) - (cutover?.cutover_start_millis ?? NaN);
}

export type Costs = Readonly<Record<keyof ByProcess, ProcessCost>>;

/** What the first worker, the first scheduler and the API have cost since they began. */
export async function readCosts({ workers, schedulers, api }: Service): Promise<Costs | undefined> {
  const [worker, scheduler, apiCost] = await Promise.all([
    readCost(workers[0]?.pid),
    readCost(schedulers[0]?.pid),
    readCost(api.pid),
  ]);
  if (worker === undefined || scheduler === undefined || apiCost === undefined) return undefined;
  return { worker, scheduler, api: apiCost };
}

async function readCost(pid: number | undefined): Promise<ProcessCost | undefined> {
  return pid === undefined ? undefined : readProcessCost(pid);
}

/** One value of each process; undefined when they were not measured. */
export function byProcess(
  costs: Costs | undefined,
  value: (cost: ProcessCost, name: keyof ByProcess) => number,
): ByProcess | undefined {
  if (costs === undefined) return undefined;
  return {
    worker: value(costs.worker, 'worker'),
    scheduler: value(costs.scheduler, 'scheduler'),
    api: value(costs.api, 'api'),
  };
}
