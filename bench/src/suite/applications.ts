import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient } from '@aosc/testkit';
import { createSource, type IndexShape } from '../cluster';
import { group } from '../report';
import { alternate, type Kind, nameRound, type Rounds } from '../rounds';
import { runOnStack } from '../run-on-stack';
import { type Bench, measureBesideCopy, settings } from '../searches/beside-copy';
import { type Condition, conditions } from '../searches/results';
import { giveWayToCluster, runSearchesBench } from '../searches/run-searches';
import { medianOf } from '../summary';
import { countWritesFor, startOrderWriters, type Written } from './order-writers';
import type { ApplicationsResult, WriteRun, WriteSummary } from './results';
import { spreadOf } from './summary';
import type { Surroundings } from './surroundings';

export interface ApplicationsPlan extends IndexShape {
  readonly rounds: number;
  /** how long each condition is measured */
  readonly seconds: number;
  /** operations a second that the applications would write */
  readonly rate: number;
}

const searchClients = 4;
const searchPauseMs = 50;
/** Each waits for its answers: fewer would offer less than the rate as soon as an answer takes some time. */
const writerCount = 8;
const settleSeconds = 2;

/** Searches and writes of the applications without a migration and under either profile, in turn. */
export async function measureApplications(
  plan: ApplicationsPlan,
  surroundings: Surroundings,
): Promise<ApplicationsResult> {
  const { say, signal, onVersion } = surroundings;
  const { documents, sourceShards, targetShards, rounds, seconds } = plan;
  const shape = { documents, sourceShards, targetShards };
  const searchOptions = { clients: searchClients, pauseMs: searchPauseMs };
  const searches = await runSearchesBench({ ...shape, rounds, seconds, ...searchOptions }, say, signal);
  onVersion(searches.openSearch);
  const writes = await measureWrites(plan, surroundings);
  return {
    kind: 'applications',
    ...shape,
    settings,
    searches: { warmUp: searches.warmUp, runs: searches.runs, summary: searches.summary },
    writes: { ...writes, offeredPerSecond: plan.rate, summary: summarizeWrites(writes.runs) },
  };
}

async function measureWrites(
  plan: ApplicationsPlan,
  { say, signal }: Surroundings,
): Promise<Rounds<WriteRun>> {
  return runOnStack({ say, signal }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    try {
      giveWayToCluster(service);
      say(`Loading ${group(plan.documents)} documents`);
      await createSource(http, plan, alive);
      const bench: Bench = { http, service, shape: plan, signal: alive };
      let seed = 0;
      const kinds = conditions.map((condition): Kind<WriteRun> => async (round) => {
        seed += 1;
        const { figures, documentsCopied } = await write(plan, urls, bench, condition, seed);
        const { seconds, done, refused, longestPauseMs } = figures;
        const offered = seconds * plan.rate;
        return { condition, round, seconds, offered, done, refused, longestPauseMs, documentsCopied };
      });
      return await alternate(kinds, { rounds: plan.rounds }, (run) => say(describeWrites(run)));
    } finally {
      http.close();
    }
  });
}

/** The writers go on while the migration begins and ends; what they do while it copies counts. */
async function write(
  { rate, seconds }: ApplicationsPlan,
  urls: readonly string[],
  bench: Bench,
  condition: Condition,
  seed: number,
): Promise<{ readonly figures: Written; readonly documentsCopied: number }> {
  const { signal } = bench;
  // Only ids of their own: what the writers of a run before have done with those of the dataset, they would not know.
  const writers = startOrderWriters({ urls, documents: 0, writers: writerCount, rate, seed, signal });
  try {
    await sleep(settleSeconds * 1000, undefined, { signal });
    return await measureBesideCopy(bench, condition, () => countWritesFor(writers, seconds, signal));
  } finally {
    await writers.stop();
  }
}

/** @param runs at least one of each condition @throws Error when there is none */
export function summarizeWrites(runs: readonly WriteRun[]): Readonly<Record<Condition, WriteSummary>> {
  const of = (condition: Condition): WriteSummary => {
    const own = runs.filter((run) => run.condition === condition);
    return {
      donePerSecond: spreadOf(own.map(({ done, seconds }) => done / seconds)),
      share: spreadOf(own.map(({ done, offered }) => done / offered)),
      refused: own.reduce((sum, { refused }) => sum + refused, 0),
      longestPauseMs: Math.max(...own.map(({ longestPauseMs }) => longestPauseMs)),
      documentsCopiedPerSecond: medianOf(
        own.map(({ documentsCopied, seconds }) => documentsCopied / seconds),
      ),
    };
  };
  return { quiet: of('quiet'), low_impact: of('low_impact'), high_throughput: of('high_throughput') };
}

function describeWrites({ condition, round, done, offered, seconds, documentsCopied }: WriteRun): string {
  return (
    `${nameRound(round)}  writes, ${condition}: ${group(done)} of ${group(offered)} done, ` +
    `${group(documentsCopied / seconds)} docs/s copied`
  );
}
