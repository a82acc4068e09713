import { join, resolve } from 'node:path';
import type { Build, Service } from '@aosc/stack';
import {
  callRaw,
  createHttpClient,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type HttpClient,
  loadDocuments,
  makeDocument,
  readCommit,
  startWriters,
  type StatusDocument,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { alias, readClusterCpuSeconds, readVersion, source, target } from '../cluster';
import { noteCircumstances } from '../machine';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { alternate } from '../rounds';
import { busyIndex, startBusyClients } from './busy-clients';
import { type PassedCall, startCountingProxy } from './counting-proxy';
import { startHabits } from './habits';
import { Ledger } from './ledger';
import type { CutoverOptions } from './options';
import type { CutoverResult, CutoverRun } from './results';
import { startRun } from '../start-run';

const timeoutMs = 3_600_000;
const names = { source, target, alias };

/** A build of the service beside a node of its own, ready for one migration after the other. */
interface Contestant {
  /** what its lines begin with */
  readonly label: string;
  readonly version: string;
  readonly migrate: (run: number) => Promise<CutoverRun>;
}

/** Migrations under writers, with every request between the service and the node counted. */
export async function runCutoverBench(
  options: CutoverOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CutoverResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, nodes, rate, roundTripMs, load, beside, hold } = options;
  const { cutovers, warmUps } = options;
  const folder = beside === undefined ? undefined : resolve(beside);
  const takeTurns = async (
    contestants: readonly Contestant[],
  ): Promise<readonly (readonly CutoverRun[])[]> => {
    const runs = contestants.map((): CutoverRun[] => []);
    const kinds = contestants.map(({ label, migrate }, at) => async (run: number) => {
      const done = await migrate(run);
      if (run > 0) runs[at]?.push(done);
      return `${label}${describeRun(done)}`;
    });
    await alternate(kinds, { rounds: cutovers, warmUpRounds: warmUps }, say);
    return runs;
  };
  let version = 'unknown';
  const [runs = [], others] = await withContestant({ options, say, signal }, '', undefined, async (own) => {
    version = own.version;
    if (folder === undefined && !hold) return takeTurns([own]);
    const build = folder === undefined ? undefined : { apps: join(folder, 'apps') };
    const surroundings = { options: { ...options, hold: false }, say, signal };
    // Each has a node and a Redis of its own: one version may not read the records of the other.
    return withContestant(surroundings, 'beside: ', build, (other) => takeTurns([own, other]));
  });
  return {
    kind: 'cutover',
    ...describeCircumstances(version),
    documents,
    sourceShards,
    targetShards,
    nodes,
    rate,
    roundTripMs,
    load,
    warmUps,
    ...(hold && { hold }),
    runs,
    ...(others !== undefined && {
      beside: { commit: folder === undefined ? 'the same without a hold' : readCommit(folder), runs: others },
    }),
  };
}

interface Surroundings {
  readonly options: CutoverOptions;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

async function withContestant<T>(
  { options, say, signal }: Surroundings,
  label: string,
  build: Build | undefined,
  use: (contestant: Contestant) => Promise<T>,
): Promise<T> {
  let onCall: (call: PassedCall) => void = () => undefined;
  const connect = async (url: string) => startCountingProxy(url, options.roundTripMs, (call) => onCall(call));
  return runOnStack({ say, signal, build, connect, ...nodesOf(options) }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    try {
      // An earlier build knows no holds, and refuses the setting.
      if (build === undefined) await setHold(service, options.hold);
      const migrateOnce = async (run: number): Promise<CutoverRun> => {
        const ledger = new Ledger(names);
        await prepare(http, options, alive);
        const busy = await startBusyClients(urls, options.load, alive);
        try {
          onCall = (call) => ledger.note(call);
          const told = await migrate(http, urls, service, options, run, alive);
          return { ...told, calls: ledger.read() };
        } finally {
          onCall = () => undefined;
          await busy.stop();
        }
      };
      return await use({ label, version: await readVersion(http), migrate: migrateOnce });
    } finally {
      http.close();
    }
  });
}

/** A machine has less memory for each of several nodes. */
const nodesOf = ({ nodes }: CutoverOptions) => (nodes === 1 ? {} : { nodes, heapMb: 1024 });

async function setHold({ apiUrl }: Service, hold: boolean): Promise<void> {
  const api = createHttpClient([apiUrl]);
  const body = JSON.stringify({ persistent: { 'aosc.cutover.hold_writers': hold } });
  await callRaw(api, { method: 'PUT', path: '/_cluster/settings', body }).finally(() => api.close());
}

async function prepare(http: HttpClient, options: CutoverOptions, signal: AbortSignal): Promise<void> {
  const { documents, sourceShards, targetShards } = options;
  await deleteIndices(http, [source, target, busyIndex]);
  const [max, min] = [Math.max(sourceShards, targetShards), Math.min(sourceShards, targetShards)];
  const shape = { replicas: 0, ...(max % min === 0 && { routingShards: max }) };
  await createSourceIndex(http, { ...shape, name: source, shards: sourceShards, alias });
  await createTargetIndex(http, { ...shape, name: target, shards: targetShards });
  const random = createRandom(17);
  const all = function* () {
    for (let n = 0; n < documents; n += 1) {
      const id = `loaded-${n}`;
      yield { id, source: makeDocument(random, { id, revision: 0 }).replace(/\r?\n/g, ' ') };
    }
  };
  await loadDocuments(http, alias, all(), signal);
}

async function migrate(
  http: HttpClient,
  urls: readonly string[],
  service: Service,
  { rate, clients }: CutoverOptions,
  run: number,
  signal: AbortSignal,
): Promise<Omit<CutoverRun, 'calls'>> {
  const writers = rate === 0 ? undefined : startWriters({ urls, alias, rate, seed: run });
  const habits = startHabits(urls, { index: alias, clients });
  try {
    const cpuBefore = await readClusterCpuSeconds(http);
    const startedAt = performance.now();
    await startRun(service.apiUrl, names);
    const status = await waitForPhase(service.apiUrl, source, terminalPhases, {
      signal,
      timeoutMs,
      intervalMs: 100,
    });
    const endToEndMs = performance.now() - startedAt;
    const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
    if (status.phase !== 'COMPLETED') throw new Error(`${status.phase}: ${status.error_message ?? ''}`);
    const met = await habits.stop();
    await writers?.stop();
    const stats = writers?.stats();
    if (stats !== undefined && stats.violations > 0) throw new Error(stats.problems.join('; '));
    return {
      run,
      endToEndMs,
      pauseMs: stats?.longestPauseMs ?? 0,
      refusedWrites: stats?.blockedRetries ?? 0,
      habits: met,
      clusterCpuSeconds,
      phaseMs: phaseTimes(status),
    };
  } finally {
    await habits.stop();
    await writers?.stop();
  }
}

function phaseTimes({ transition_history: history = [] }: StatusDocument): Readonly<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const { phase, start_time_millis: from, end_time_millis: to } of history) {
    if (to !== undefined) times[phase] = (times[phase] ?? 0) + to - from;
  }
  return times;
}

function describeRun({ run, calls, endToEndMs, pauseMs, refusedWrites }: CutoverRun): string {
  return (
    `${run === 0 ? 'warm-up' : `migration ${run}`}: ${group(calls.all)} requests, ${calls.underBlock.length} under the block (${calls.inARow} in a ` +
    `row), block ${Math.round(calls.blockMs ?? NaN)} ms, pause ${pauseMs} ms, ${refusedWrites} writes refused, ` +
    `${(endToEndMs / 1000).toFixed(1)} s in all`
  );
}
