import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '@aosc/stack';
import {
  cancelMigration,
  createHttpClient,
  type HttpClient,
  type StatusDocument,
  terminalPhases,
  UnexpectedAnswer,
  waitForPhase,
  type Writers,
} from '@aosc/testkit';
import { createSource, type IndexShape, readVersion, reset, source } from '../cluster';
import { applyProfile, highThroughput } from '../profiles';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { countWrites, countWritesFor, startOrderWriters } from './order-writers';
import type { GapPoint, Spread, SustainedResult, SustainedRun } from './results';
import { spreadOf } from './summary';
import type { Surroundings } from './surroundings';
import { startRun } from '../start-run';

export interface SustainedPlan extends IndexShape {
  /** of the maximum, 0 to 1, in the order in which they are tried */
  readonly shares: readonly number[];
  /** how often the maximum is measured, and for how long each time */
  readonly maximumRounds: number;
  readonly maximumSeconds: number;
  readonly boundSeconds: number;
}

/** So many requests at once keep all cores busy. */
const writerCount = Math.max(8, 4 * cpus().length);
/** Until writers have reached their rate, and the node has compiled what they need. */
const settleSeconds = 3;
const pollMs = 1000;
const cancelTimeoutMs = 300_000;

interface Bench {
  readonly plan: SustainedPlan;
  readonly urls: readonly string[];
  readonly http: HttpClient;
  readonly service: Service;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
}

/** What the cluster can write without a migration, and which shares of it a migration gets to its end beside. */
export async function measureSustained(
  plan: SustainedPlan,
  surroundings: Surroundings,
): Promise<SustainedResult> {
  const { say, signal } = surroundings;
  return runOnStack({ say, signal }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    const bench: Bench = { plan, urls, http, service, surroundings, signal: alive };
    try {
      surroundings.onVersion(await readVersion(http));
      await applyProfile(service.apiUrl, highThroughput);
      const maximum = await measureMaximum(bench);
      const runs: SustainedRun[] = [];
      for (const share of plan.shares) {
        const run = await measureShare(bench, share, maximum.median * share);
        say(describeShare(run));
        runs.push(run);
      }
      const { documents, sourceShards, targetShards, boundSeconds } = plan;
      const shape = { documents, sourceShards, targetShards };
      return { kind: 'sustained', ...shape, writers: writerCount, maximum, boundSeconds, runs };
    } finally {
      http.close();
    }
  });
}

async function measureMaximum({ plan, urls, http, surroundings, signal }: Bench): Promise<Spread> {
  const rates: number[] = [];
  for (let round = 1; round <= plan.maximumRounds; round += 1) {
    await refill(http, plan, surroundings, signal);
    const writers = start({ plan, urls, signal }, undefined, round);
    try {
      await sleep(settleSeconds * 1000, undefined, { signal });
      const { done, seconds } = await countWritesFor(writers, plan.maximumSeconds, signal);
      rates.push(done / seconds);
      surroundings.say(`writers alone: ${group(done / seconds)} operations/s`);
    } finally {
      await writers.stop();
    }
  }
  return spreadOf(rates);
}

/** Each share begins with a source that no writer has changed yet. */
async function refill(
  http: HttpClient,
  plan: SustainedPlan,
  { say }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  say(`Loading ${group(plan.documents)} documents`);
  await createSource(http, plan, signal);
  await reset(http, plan, signal);
}

function start(
  { plan, urls, signal }: Pick<Bench, 'plan' | 'urls' | 'signal'>,
  rate: number | undefined,
  seed: number,
): Writers {
  return startOrderWriters({ urls, documents: plan.documents, writers: writerCount, rate, seed, signal });
}

async function measureShare(bench: Bench, share: number, rate: number): Promise<SustainedRun> {
  const { plan, http, surroundings, signal } = bench;
  await refill(http, plan, surroundings, signal);
  const writers = start(bench, rate, 1000 + Math.round(share * 1000));
  try {
    await sleep(settleSeconds * 1000, undefined, { signal });
    const { result, written } = await countWrites(writers, () => migrate(bench));
    const { last, gap } = result;
    if (!terminalPhases.includes(last.phase)) await cancel(bench);
    return {
      share,
      offeredPerSecond: rate,
      donePerSecond: written.done / written.seconds,
      completed: last.phase === 'COMPLETED',
      phase: last.phase,
      reason: last.error_message,
      seconds: written.seconds,
      longestPauseMs: written.longestPauseMs,
      gap,
    };
  } finally {
    await writers.stop();
  }
}

/** One migration, to its end or to the bound. */
async function migrate({
  plan,
  service,
  signal,
}: Bench): Promise<{ readonly last: StatusDocument; readonly gap: readonly GapPoint[] }> {
  const begin = performance.now();
  const gap: GapPoint[] = [];
  await startRun(service.apiUrl);
  let last: StatusDocument | undefined;
  await waitForPhase(service.apiUrl, source, terminalPhases, {
    signal,
    timeoutMs: plan.boundSeconds * 1000,
    intervalMs: pollMs,
    onStatus: (status) => {
      last = status;
      const operations = gapOf(status);
      if (operations !== undefined) gap.push({ seconds: (performance.now() - begin) / 1000, operations });
    },
  }).catch((error: unknown) => {
    const isOverdue = performance.now() - begin >= plan.boundSeconds * 1000;
    if (!isOverdue || last === undefined || signal.aborted) throw error;
  });
  if (last === undefined) throw new Error('the migration has told no status');
  return { last, gap };
}

/** Operations left to replay, of all shards, as `_timeline` has them. @returns undefined while no shard replays yet */
export function gapOf({ shards }: StatusDocument): number | undefined {
  const gaps = Object.values(shards)
    .map(
      ({ catching_up: catchingUp, convergence, replay }) =>
        (catchingUp ?? convergence ?? replay)?.current_gap,
    )
    .filter((gap) => gap !== undefined);
  return gaps.length === 0 ? undefined : gaps.reduce((sum, gap) => sum + gap, 0);
}

/** A migration that is just about to end refuses it, and ends. */
async function cancel({ service, signal }: Bench): Promise<void> {
  await cancelMigration(service.apiUrl, source).catch((error: unknown) => {
    if (!(error instanceof UnexpectedAnswer)) throw error;
  });
  await waitForPhase(service.apiUrl, source, terminalPhases, { signal, timeoutMs: cancelTimeoutMs });
}

function describeShare({
  share,
  offeredPerSecond,
  donePerSecond,
  phase,
  seconds,
  gap,
}: SustainedRun): string {
  return (
    `writers at ${Math.round(share * 100)} %: offered ${group(offeredPerSecond)}/s, done ${group(donePerSecond)}/s, ` +
    `${phase} after ${seconds.toFixed(1)} s, largest gap ${group(Math.max(0, ...gap.map((point) => point.operations)))}`
  );
}
