import { constants, setPriority } from 'node:os';
import { timeLimit } from '@aosc/signals';
import type { Service } from '@aosc/stack';
import { createHttpClient, type HttpClient } from '@aosc/testkit';
import { alias, createSource, readClusterCpuSeconds, readVersion } from '../cluster';
import { noteCircumstances } from '../machine';
import { group } from '../report';
import { alternate, type Kind } from '../rounds';
import { runOnStack } from '../run-on-stack';
import { type Bench, measureBesideCopy, settings } from './beside-copy';
import type { SearchesOptions } from './options';
import { describeSearchRun } from './report';
import { type Condition, conditions, type SearchesResult, type SearchRun } from './results';
import { search } from './searcher';
import { summarizeSearches, toFigures } from './summary';

/** Searches of the source without a migration and under either profile, in turn. */
export async function runSearchesBench(
  options: SearchesOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<SearchesResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, rounds, clients, pauseMs } = options;
  const measured = await runOnStack({ say, signal }, async (openSearchUrls, service, alive) => {
    const http = createHttpClient(openSearchUrls);
    try {
      giveWayToCluster(service);
      say(`Loading ${group(documents)} documents`);
      await createSource(http, options, alive);
      const bench: Bench = { http, service, shape: options, signal: alive };
      const kinds = conditions.map(
        (condition): Kind<SearchRun> =>
          (round) =>
            measure(bench, options, condition, round),
      );
      const measuredRounds = await alternate(kinds, { rounds }, (run) => say(describeSearchRun(run)));
      return { openSearch: await readVersion(http), ...measuredRounds };
    } finally {
      http.close();
    }
  });
  return {
    kind: 'searches',
    ...describeCircumstances(measured.openSearch),
    documents,
    sourceShards,
    targetShards,
    rounds,
    clients,
    pauseMs,
    settings,
    warmUp: measured.warmUp,
    runs: measured.runs,
    summary: summarizeSearches(measured.runs),
  };
}

/** Service and applications would run on machines of their own: what slows them down is to be the cluster's load. */
export function giveWayToCluster({ api, schedulers, workers }: Service): void {
  for (const { pid } of [api, ...schedulers, ...workers]) setPriority(pid, constants.priority.PRIORITY_LOW);
}

async function measure(
  bench: Bench,
  options: SearchesOptions,
  condition: Condition,
  round: number,
): Promise<SearchRun> {
  const { figures, documentsCopied } = await measureBesideCopy(bench, condition, () =>
    measureSearches(bench.http, options, round, bench.signal),
  );
  return { ...figures, condition, round, documentsCopied };
}

/** The same searches in every condition of a round. */
async function measureSearches(
  http: HttpClient,
  { clients, pauseMs, documents, seconds: wanted }: SearchesOptions,
  round: number,
  signal: AbortSignal,
): Promise<Omit<SearchRun, 'condition' | 'round' | 'documentsCopied'>> {
  const cpuBefore = await readClusterCpuSeconds(http);
  const begin = performance.now();
  const until = timeLimit(wanted * 1000, signal);
  const seed = 1 + round * clients;
  const searches = await search({ http, index: alias, clients, pauseMs, documents, seed, until });
  signal.throwIfAborted();
  const seconds = (performance.now() - begin) / 1000;
  const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
  return { ...toFigures(searches), seconds, clusterCpuSeconds };
}
