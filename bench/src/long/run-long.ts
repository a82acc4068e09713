import type { Service } from '@aosc/stack';
import {
  callRaw,
  createHttpClient,
  deleteIndices,
  describeMismatches,
  type HttpClient,
  readStatus,
  type StatusDocument,
  terminalPhases,
  verifyAgainstModel,
  type Writers,
} from '@aosc/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { backfillTime, byProcess, readCosts } from '../aosc-run';
import {
  alias,
  createSource,
  dropDeleted,
  readClusterCpuSeconds,
  readVersion,
  reset,
  source,
  target,
} from '../cluster';
import { noteCircumstances } from '../machine';
import { applyProfile, highThroughput } from '../profiles';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { byFilesRequest, startRun } from '../start-run';
import { startOrderWriters } from '../suite/order-writers';
import { gapOf } from '../suite/sustained';
import type { LongOptions } from './options';
import type { LongResult, LongSample } from './results';
import { countCopied, readDisk, readResidentBytes } from './take-sample';

const writerCount = 8;
/** The writers change and delete so many of the dataset at the most, because they keep their ids in memory. */
const mostAdopted = 500_000;

interface Bench {
  readonly options: LongOptions;
  readonly http: HttpClient;
  readonly service: Service;
  readonly writers: Writers;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One long migration under writers, with a sample of everything that might grow every few seconds. */
export async function runLongBench(
  options: LongOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<LongResult> {
  const describeCircumstances = noteCircumstances();
  const { help: _help, ...plan } = options;
  const { openSearch, ...measured } = await runOnStack({ say, signal }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    try {
      say(`Loading ${group(options.documents)} documents`);
      await createSource(http, options, alive);
      await reset(http, options, alive);
      if (options.byFiles) await deleteIndices(http, [target]);
      await applyProfile(service.apiUrl, highThroughput);
      const documents = Math.min(options.documents, mostAdopted);
      const writers = startOrderWriters({
        urls,
        documents,
        writers: writerCount,
        rate: options.rate,
        seed: 1,
        signal: alive,
      });
      try {
        const found = await migrate({ options, http, service, writers, say, signal: alive });
        await writers.stop();
        const { longestPauseMs, blockedRetries: refusedWrites, violations, problems } = writers.stats();
        if (violations > 0) throw new Error(problems.join('; '));
        const verifiedDocuments = await verify(urls, writers, alive);
        const openSearch = await readVersion(http);
        return { ...found, longestPauseMs, refusedWrites, verifiedDocuments, openSearch };
      } finally {
        await writers.stop();
      }
    } finally {
      http.close();
    }
  });
  return {
    kind: 'long',
    ...describeCircumstances(openSearch),
    ...plan,
    settings: highThroughput,
    ...measured,
  };
}

/** @throws Error when the alias lacks something that a writer was told is written, or shows something else */
async function verify(urls: readonly string[], { model }: Writers, signal: AbortSignal): Promise<number> {
  const { documents, mismatches } = await verifyAgainstModel({ urls, index: alias, model, signal });
  const problems = describeMismatches(mismatches);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return documents;
}

type Found = Pick<
  LongResult,
  | 'samples'
  | 'lostAtSeconds'
  | 'copySeconds'
  | 'endToEndSeconds'
  | 'blockMs'
  | 'cpuSeconds'
  | 'clusterCpuSeconds'
>;

async function migrate(bench: Bench): Promise<Found> {
  const { options, http, service, say, signal } = bench;
  const costsBefore = await readCosts(service);
  const cpuBefore = await readClusterCpuSeconds(http);
  const begin = performance.now();
  await startRun(service.apiUrl, options.byFiles ? byFilesRequest(options.targetShards) : {});
  const samples: LongSample[] = [];
  let lostAtSeconds: number | undefined;
  for (;;) {
    const status = await readStatus(service.apiUrl, source, signal);
    const sample = await takeSample(bench, status, begin, cpuBefore);
    samples.push(sample);
    say(describeSample(sample));
    if (terminalPhases.includes(status.phase)) {
      if (status.phase !== 'COMPLETED') throw new Error(`${status.phase}: ${status.error_message ?? ''}`);
      const after = await readCosts(service);
      const cpuSeconds = byProcess(
        after,
        (cost, name) => cost.cpuSeconds - (costsBefore?.[name].cpuSeconds ?? 0),
      );
      if (options.byFiles) await dropDeleted(http, signal);
      const { cutover_context: cutover, transition_history: history = [] } = status;
      return {
        samples,
        ...(lostAtSeconds !== undefined && { lostAtSeconds }),
        copySeconds: backfillTime(status) / 1000,
        endToEndSeconds: ((history.at(-1)?.start_time_millis ?? NaN) - status.start_time_millis) / 1000,
        blockMs: (cutover?.cutover_end_millis ?? NaN) - (cutover?.cutover_start_millis ?? NaN),
        ...(cpuSeconds !== undefined && { cpuSeconds }),
        clusterCpuSeconds: (await readClusterCpuSeconds(http)) - cpuBefore,
      };
    }
    const isLossDue =
      options.loseAt > 0 && sample.documentsCopied * 100 >= options.loseAt * options.documents;
    if (lostAtSeconds === undefined && isLossDue) {
      lostAtSeconds = sample.seconds;
      say('closing all snapshots');
      await callRaw(http, { method: 'DELETE', path: '/_search/point_in_time/_all' });
    }
    await sleep(options.everySeconds * 1000, undefined, { signal });
  }
}

async function takeSample(
  { http, service, writers }: Bench,
  status: StatusDocument,
  begin: number,
  cpuBefore: number,
): Promise<LongSample> {
  const [disk, workerBytes, cpu] = await Promise.all([
    readDisk(http),
    readResidentBytes(service.workers[0]?.pid),
    readClusterCpuSeconds(http),
  ]);
  const gap = gapOf(status);
  return {
    seconds: (performance.now() - begin) / 1000,
    phase: status.phase,
    documentsCopied: countCopied(status),
    ...(gap !== undefined && { gap }),
    ...(workerBytes !== undefined && { workerBytes }),
    ...disk,
    clusterCpuSeconds: cpu - cpuBefore,
    written: writers.stats().operations,
  };
}

const megabytes = (bytes: number): string => `${group(bytes / 2 ** 20)} MB`;

function describeSample({
  seconds,
  phase,
  documentsCopied,
  gap,
  workerBytes,
  pinnedBytes,
  written,
}: LongSample): string {
  return (
    `${group(seconds)} s  ${phase}: ${group(documentsCopied)} copied, ` +
    (gap === undefined ? '' : `gap ${group(gap)}, `) +
    (workerBytes === undefined ? '' : `worker ${megabytes(workerBytes)}, `) +
    `pinned ${megabytes(pinnedBytes)}, ${group(written)} operations written`
  );
}
