import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '@aosc/stack';
import {
  cancelMigration,
  createHttpClient,
  createTargetIndex,
  deleteIndices,
  type HttpClient,
  terminalPhases,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { byProcess, readCosts } from '../aosc-run';
import { createSource, readClusterCpuSeconds, readVersion, shapeOf, source, target } from '../cluster';
import { startCountingProxy } from '../cutover/counting-proxy';
import { noteCircumstances } from '../machine';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { startRun } from '../start-run';
import { startOrderWriters } from '../suite/order-writers';
import type { RestOptions } from './options';
import type { RestResult, RestRun } from './results';

const writerCount = 8;
/** Until the writers have reached their rate, and the rounds after the convergence are done. */
const settleMs = 10_000;

interface Bench {
  readonly options: RestOptions;
  readonly http: HttpClient;
  readonly service: Service;
  readonly calls: { count: number };
  readonly signal: AbortSignal;
}

/**
 * What a migration costs that has converged and can't go on. Its target wants a replica that one node has no place for,
 * so it waits in PREPARING_TARGET, where shards are held closer to the source than in ACTIVE.
 */
export async function runRestBench(
  options: RestOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<RestResult> {
  const describeCircumstances = noteCircumstances();
  const calls = { count: 0 };
  const connect = (url: string) =>
    startCountingProxy(url, 0, ({ opaqueId }) => {
      if (opaqueId !== 'aosc-api') calls.count += 1;
    });
  const { documents, sourceShards, targetShards, rate, seconds } = options;
  const measured = await runOnStack({ say, signal, connect }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    try {
      say(`Loading ${group(documents)} documents`);
      await createSource(http, options, alive);
      const writers = startOrderWriters({
        urls,
        documents,
        writers: writerCount,
        rate,
        seed: 1,
        signal: alive,
      });
      try {
        const runs: RestRun[] = [];
        // The first warms up.
        for (let round = 0; round <= options.rounds; round += 1) {
          const run = await measureRound({ options, http, service, calls, signal: alive }, round);
          say(describeRun(run));
          if (round > 0) runs.push(run);
        }
        return { runs, openSearch: await readVersion(http) };
      } finally {
        await writers.stop();
      }
    } finally {
      http.close();
    }
  });
  return {
    kind: 'rest',
    ...describeCircumstances(measured.openSearch),
    documents,
    sourceShards,
    targetShards,
    rate,
    seconds,
    runs: measured.runs,
  };
}

async function measureRound(bench: Bench, round: number): Promise<RestRun> {
  const { options, http, service, calls, signal } = bench;
  const { targetShards, seconds } = options;
  await deleteIndices(http, [target]);
  await sleep(settleMs, undefined, { signal });
  const clusterCoresAlone = await measureCores(bench);
  await createTargetIndex(http, { ...shapeOf(options), name: target, shards: targetShards, replicas: 1 });
  await startRun(service.apiUrl);
  await waitForStatus(
    service.apiUrl,
    source,
    ({ phase, waiting_for: waiting }) => phase === 'PREPARING_TARGET' && waiting?.reason === 'target',
    'a converged migration that waits for its target',
    { signal },
  );
  await sleep(settleMs, undefined, { signal });
  const [costs, before] = [await readCosts(service), calls.count];
  const clusterCoresBeside = await measureCores(bench);
  const requestsPerSecond = (calls.count - before) / seconds;
  const after = await readCosts(service);
  const cores = byProcess(
    after,
    (cost, name) => (cost.cpuSeconds - (costs?.[name].cpuSeconds ?? 0)) / seconds,
  );
  await cancelMigration(service.apiUrl, source);
  await waitForPhase(service.apiUrl, source, terminalPhases, { signal });
  return {
    round,
    clusterCoresAlone,
    clusterCoresBeside,
    requestsPerSecond,
    ...(cores !== undefined && { cores }),
  };
}

async function measureCores({ options: { seconds }, http, signal }: Bench): Promise<number> {
  const before = await readClusterCpuSeconds(http);
  const begin = performance.now();
  await sleep(seconds * 1000, undefined, { signal });
  return ((await readClusterCpuSeconds(http)) - before) / ((performance.now() - begin) / 1000);
}

/** One line for a round. */
export function describeRun({
  round,
  clusterCoresAlone,
  clusterCoresBeside,
  requestsPerSecond,
  cores,
}: RestRun): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const own = Object.entries(cores ?? {}).map(([name, share]) => `${name} ${percent(share)}`);
  return (
    `${round === 0 ? 'warm-up' : `round ${round}`}: the cluster's CPU ${percent(clusterCoresAlone)} of one core alone, ` +
    `${percent(clusterCoresBeside)} beside (${percent(clusterCoresBeside - clusterCoresAlone)} more), ` +
    `${requestsPerSecond.toFixed(1)} requests/s, ${own.join(', ')}`
  );
}
