import { callJson, createHttpClient, type HttpClient, loadDocuments } from '@aosc/testkit';
import type { Service } from '@aosc/stack';
import { runAosc } from '../aosc-run';
import { createSource, readVersion, reset, source } from '../cluster';
import { readField, readNumber } from '../fields';
import { applyProfile, highThroughput } from '../profiles';
import { runReindex } from '../reindex-run';
import { describeForeseen, group } from '../report';
import type { AoscRun, ReindexRun } from '../results';
import { alternate, type Kind, nameRound } from '../rounds';
import { warmUpRounds } from '../run-bench';
import { runOnStack } from '../run-on-stack';
import type { CopyCase } from './cases';
import { listUpdatedOrders } from './datasets';
import { provideElasticdump } from './elasticdump-package';
import { runElasticdump } from './elasticdump-run';
import type { Surroundings } from './surroundings';
import type { CopyResult, CopyRun } from './results';
import { summarizeCopies } from './summary';
import { wholeCopy } from './whole-copy';

/**
 * Fills a source and has every contestant copy it, in turn.
 * @throws {NotRunError} when a contestant can't be installed
 */
export async function measureCopies(
  plan: CopyCase,
  { short, rounds }: { readonly short: boolean; readonly rounds: number },
  { say, signal, onVersion }: Surroundings,
): Promise<CopyResult> {
  const program = plan.withElasticdump ? await provideElasticdump(say, signal) : undefined;
  return runOnStack({ say, signal }, async (openSearchUrls, service, alive) => {
    const http = createHttpClient(openSearchUrls);
    try {
      onVersion(await readVersion(http));
      const sourceBytesPerDocument = await fillSource(http, plan, say, alive);
      // Merges drop some of the deleted documents: it waits for them.
      await reset(http, plan, alive);
      const deletedDocuments = await countDeleted(http);
      await applyProfile(service.apiUrl, highThroughput);
      const reindexes = plan.pageSizes.map(
        (size): Kind<CopyRun> =>
          async (round) =>
            fromReindex(await runReindex(http, plan, round, size, alive)),
      );
      const others = [
        migrate(http, service, plan, alive),
        ...(program === undefined ? [] : [dump(http, openSearchUrls, program, plan, alive)]),
      ];
      const measured = await alternate(
        [...reindexes, ...others],
        {
          rounds,
          warmUpRounds: short ? 1 : warmUpRounds,
          // The `_reindex` differ in a number alone, so one of them warms all up.
          warmUpKinds: [...reindexes.slice(-1), ...others],
        },
        (run) => say(describeCopy(run)),
      );
      const { documents, sourceShards, targetShards, updates, transform } = plan;
      return {
        kind: 'copy',
        documents,
        sourceBytesPerDocument,
        sourceShards,
        targetShards,
        updates,
        deletedDocuments,
        script: transform?.source,
        ...measured,
        summary: summarizeCopies(measured.runs),
      };
    } finally {
      http.close();
    }
  });
}

/** @returns bytes of a document's `_source` on average, as it was loaded first */
async function fillSource(
  http: HttpClient,
  plan: CopyCase,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  say(`Loading ${group(plan.documents)} documents`);
  const bytes = await createSource(http, plan, signal);
  for (let pass = 1; pass <= plan.updates; pass += 1) {
    say(`Updating each of them, pass ${pass} of ${plan.updates}`);
    // Refreshes at its end.
    await loadDocuments(http, source, listUpdatedOrders(plan.documents, pass), signal);
  }
  return bytes;
}

/** Documents that were replaced and that no merge has dropped yet. */
async function countDeleted(http: HttpClient): Promise<number> {
  const read = (answer: unknown): number => {
    const primaries = readField(readField(answer, '_all'), 'primaries');
    return readNumber(readField(primaries, 'docs'), 'deleted');
  };
  return callJson(http, read, 'GET', `/${source}/_stats/docs`);
}

function migrate(http: HttpClient, service: Service, plan: CopyCase, signal: AbortSignal): Kind<CopyRun> {
  return async (round) => fromAosc(await runAosc(http, service, plan, round, signal));
}

function dump(
  http: HttpClient,
  urls: readonly string[],
  program: string,
  plan: CopyCase,
  signal: AbortSignal,
): Kind<CopyRun> {
  const [url = ''] = urls;
  return (round) => runElasticdump(http, { program, url }, plan, round, signal);
}

/** A `_reindex` is nothing but a copy, and the cluster alone pays for it. */
export function fromReindex({ size, ...run }: ReindexRun): CopyRun {
  return wholeCopy({ ...run, contestant: `_reindex ${size}`, cpuSeconds: undefined, peakBytes: undefined });
}

export function fromAosc(run: AoscRun): CopyRun {
  return {
    contestant: 'AOSC',
    round: run.round,
    copyMs: run.backfillMs,
    copyDocsPerSecond: run.backfillDocsPerSecond,
    endToEndMs: run.endToEndMs,
    endToEndDocsPerSecond: run.endToEndDocsPerSecond,
    clusterCpuSeconds: run.clusterCpuSeconds,
    cpuSeconds: run.cpuSeconds,
    peakBytes: run.peakBytes,
    foreseen: run.foreseen,
  };
}

function describeCopy(run: CopyRun): string {
  return (
    `${nameRound(run.round)}  ${run.contestant}: copy ${group(run.copyDocsPerSecond)} ` +
    `docs/s, end to end ${group(run.endToEndDocsPerSecond)} docs/s in ${(run.endToEndMs / 1000).toFixed(1)} s, ` +
    `cluster CPU ${run.clusterCpuSeconds.toFixed(0)} s` +
    ['', ...describeForeseen(run.foreseen)].join('; ')
  );
}
