import { constants, setPriority } from 'node:os';
import { timeLimit } from '@aosc/signals';
import type { Service } from '@aosc/stack';
import {
  cancelMigration,
  createHttpClient,
  type HttpClient,
  startMigration,
  type StatusDocument,
  readStatus,
  terminalPhases,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { alias, createSource, readClusterCpuSeconds, readVersion, reset, source, target } from '../cluster';
import { noteCircumstances } from '../machine';
import { applyProfile, highThroughput, lowImpact } from '../profiles';
import { group } from '../report';
import { rotate } from '../rounds';
import { runOnStack } from '../run-on-stack';
import type { SearchesOptions } from './options';
import { describeSearchRun } from './report';
import { type Condition, conditions, type SearchesResult, type SearchRun } from './results';
import { search } from './searcher';
import { summarizeSearches, toFigures } from './summary';

const settings = { low_impact: lowImpact, high_throughput: highThroughput } as const;

/** What all runs have in common. */
interface Bench {
  readonly options: SearchesOptions;
  readonly http: HttpClient;
  readonly service: Service;
  readonly signal: AbortSignal;
}

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
      const bench: Bench = { options, http, service, signal: alive };
      const all: SearchRun[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        for (const condition of rotate(conditions, round)) {
          const run = await measure(bench, condition, round);
          say(describeSearchRun(run));
          all.push(run);
        }
      }
      return { all, openSearch: await readVersion(http) };
    } finally {
      http.close();
    }
  });
  const runs = measured.all.filter(({ round }) => round > 0);
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
    warmUp: measured.all.filter(({ round }) => round === 0),
    runs,
    summary: summarizeSearches(runs),
  };
}

/** Service and searches would run on machines of their own: what slows the searches down is to be the cluster's load. */
function giveWayToCluster({ api, schedulers, workers }: Service): void {
  for (const { pid } of [api, ...schedulers, ...workers]) setPriority(pid, constants.priority.PRIORITY_LOW);
}

async function measure(bench: Bench, condition: Condition, round: number): Promise<SearchRun> {
  const { http, options, service, signal } = bench;
  await reset(http, options, signal);
  if (condition === 'quiet')
    return { ...(await measureSearches(bench, round)), condition, round, documentsCopied: 0 };
  await applyProfile(service.apiUrl, settings[condition]);
  await startMigration(service.apiUrl, {
    source,
    target,
    alias,
    options: { accept_data_loss_if_custom_routing_is_used: true },
  });
  const before = await waitForStatus(
    service.apiUrl,
    source,
    (status) => countCopied(status) > 0,
    'the first copied documents',
    { signal },
  );
  const figures = await measureSearches(bench, round);
  const after = await readStatus(service.apiUrl, source, signal);
  if (!isCopying(after)) {
    throw new Error(
      `the migration had copied everything before the ${options.seconds} s were over: take more documents (--docs)`,
    );
  }
  await cancelMigration(service.apiUrl, source);
  await waitForPhase(service.apiUrl, source, terminalPhases, { signal });
  return { ...figures, condition, round, documentsCopied: countCopied(after) - countCopied(before) };
}

/** The same searches in every condition of a round. */
async function measureSearches(
  { http, options, signal }: Bench,
  round: number,
): Promise<Omit<SearchRun, 'condition' | 'round' | 'documentsCopied'>> {
  const { clients, pauseMs, documents } = options;
  const cpuBefore = await readClusterCpuSeconds(http);
  const begin = performance.now();
  const until = timeLimit(options.seconds * 1000, signal);
  const seed = 1 + round * clients;
  const searches = await search({ http, index: alias, clients, pauseMs, documents, seed, until });
  signal.throwIfAborted();
  const seconds = (performance.now() - begin) / 1000;
  const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
  return { ...toFigures(searches), seconds, clusterCpuSeconds };
}

function countCopied({ shards }: StatusDocument): number {
  return Object.values(shards).reduce((sum, { backfill }) => sum + (backfill?.documents_indexed ?? 0), 0);
}

/** Some shard has not been copied to its end. */
function isCopying({ phase, shards }: StatusDocument): boolean {
  const early: readonly string[] = ['PENDING', 'ACQUIRING_LEASE', 'BACKFILLING'];
  return (
    !terminalPhases.includes(phase) && Object.values(shards).some((shard) => early.includes(shard.phase))
  );
}
