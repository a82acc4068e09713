import type { Service } from '@aosc/stack';
import {
  createHttpClient,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type HttpClient,
  loadDocuments,
  makeDocument,
  startWriters,
  type StatusDocument,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { alias, readClusterCpuSeconds, readVersion, source, target } from '../cluster';
import { noteCircumstances } from '../machine';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { type PassedCall, startCountingProxy } from './counting-proxy';
import { Ledger } from './ledger';
import type { CutoverOptions } from './options';
import type { CutoverResult, CutoverRun } from './results';
import { startRun } from '../start-run';

const timeoutMs = 3_600_000;
const names = { source, target, alias };

/** Migrations under writers, with every request between the service and the node counted. */
export async function runCutoverBench(
  options: CutoverOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CutoverResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, rate, roundTripMs, cutovers } = options;
  let onCall: (call: PassedCall) => void = () => undefined;
  const connect = async (url: string) => startCountingProxy(url, roundTripMs, (call) => onCall(call));
  const measured = await runOnStack({ say, signal, connect }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    const runs: CutoverRun[] = [];
    try {
      for (let run = 1; run <= cutovers; run += 1) {
        const ledger = new Ledger(names);
        await prepare(http, options, alive);
        onCall = (call) => ledger.note(call);
        const told = await migrate(http, urls, service, options, run, alive);
        onCall = () => undefined;
        const measuredRun = { ...told, calls: ledger.read() };
        runs.push(measuredRun);
        say(describeRun(measuredRun));
      }
      return { runs, openSearch: await readVersion(http) };
    } finally {
      http.close();
    }
  });
  return {
    kind: 'cutover',
    ...describeCircumstances(measured.openSearch),
    documents,
    sourceShards,
    targetShards,
    rate,
    roundTripMs,
    runs: measured.runs,
  };
}

async function prepare(http: HttpClient, options: CutoverOptions, signal: AbortSignal): Promise<void> {
  const { documents, sourceShards, targetShards } = options;
  await deleteIndices(http, [source, target]);
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
  { rate }: CutoverOptions,
  run: number,
  signal: AbortSignal,
): Promise<Omit<CutoverRun, 'calls'>> {
  const writers = rate === 0 ? undefined : startWriters({ urls, alias, rate, seed: run });
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
    await writers?.stop();
    const stats = writers?.stats();
    if (stats !== undefined && stats.violations > 0) throw new Error(stats.problems.join('; '));
    return {
      run,
      endToEndMs,
      pauseMs: stats?.longestPauseMs ?? 0,
      refusedWrites: stats?.blockedRetries ?? 0,
      clusterCpuSeconds,
      phaseMs: phaseTimes(status),
    };
  } finally {
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
    `migration ${run}: ${group(calls.all)} requests, ${calls.underBlock.length} under the block (${calls.inARow} in a ` +
    `row), block ${Math.round(calls.blockMs ?? NaN)} ms, pause ${pauseMs} ms, ${refusedWrites} writes refused, ` +
    `${(endToEndMs / 1000).toFixed(1)} s in all`
  );
}
