import { constants, setPriority } from 'node:os';
import { timeLimit } from '@aosc/signals';
import type { Service } from '@aosc/stack';
import { createHttpClient, type HttpClient } from '@aosc/testkit';
import { alias, createSource, type IndexShape, readClusterCpuSeconds, readVersion } from '../cluster';
import { group } from '../report';
import { alternate, type Kind, nameRound } from '../rounds';
import { runOnStack } from '../run-on-stack';
import { type Bench, measureBesideCopy } from './beside-copy';
import { type Condition, conditions, type SearchesResult, type SearchRun } from './results';
import { search } from './searcher';
import { summarizeSearches, toFigures } from './summary';

export interface SearchesPlan extends IndexShape {
  readonly rounds: number;
  /** how long one condition is measured */
  readonly seconds: number;
  /** how many search at once */
  readonly clients: number;
  /** what each of them waits between two searches */
  readonly pauseMs: number;
}

/** Searches of the source without a migration and under either profile, in turn. */
export async function runSearchesBench(
  plan: SearchesPlan,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<SearchesResult> {
  const { documents, rounds } = plan;
  return runOnStack({ say, signal }, async (openSearchUrls, service, alive) => {
    const http = createHttpClient(openSearchUrls);
    try {
      giveWayToCluster(service);
      say(`Loading ${group(documents)} documents`);
      await createSource(http, plan, alive);
      const bench: Bench = { http, service, shape: plan, signal: alive };
      const kinds = conditions.map(
        (condition): Kind<SearchRun> =>
          (round) =>
            measure(bench, plan, condition, round),
      );
      const measured = await alternate(kinds, { rounds }, (run) => say(describeSearchRun(run)));
      const { warmUp, runs } = measured;
      return { openSearch: await readVersion(http), warmUp, runs, summary: summarizeSearches(runs) };
    } finally {
      http.close();
    }
  });
}

function describeSearchRun({ condition, round, p50Ms, p95Ms, documentsCopied, seconds }: SearchRun): string {
  const copied = condition === 'quiet' ? '' : `, ${group(documentsCopied / seconds)} docs/s copied`;
  return `${nameRound(round)}  searches, ${condition}: p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms${copied}`;
}

/** Service and applications would run on machines of their own: what slows them down is to be the cluster's load. */
export function giveWayToCluster({ api, schedulers, workers }: Service): void {
  for (const { pid } of [api, ...schedulers, ...workers]) setPriority(pid, constants.priority.PRIORITY_LOW);
}

async function measure(
  bench: Bench,
  options: SearchesPlan,
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
  { clients, pauseMs, documents, seconds: wanted }: SearchesPlan,
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
