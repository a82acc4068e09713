import type { Service } from '@aosc/stack';
import { callJson, createHttpClient, type HttpClient } from '@aosc/testkit';
import { runAosc } from '../aosc-run';
import { applyProfile } from '../profiles';
import { createSource, readVersion } from '../cluster';
import { readField, readNumber } from '../fields';
import { noteCircumstances } from '../machine';
import { group } from '../report';
import { alternate, type Kind, nameRound } from '../rounds';
import { runOnStack } from '../run-on-stack';
import type { OverloadOptions } from './options';
import { type Controller, controllers, type OverloadResult, type OverloadRun } from './results';

/**
 * The contract's defaults, but with more in flight than the node has room for, and small bulks, so that there are many.
 * The pauses are short: a run of a minute would else be decided by two or three of them.
 */
const settings = {
  'aosc.backfill.max_concurrent_per_node': 8,
  'aosc.backfill.controller.concurrency': 8,
  'aosc.backfill.controller.batch.size': 200,
  'aosc.backfill.controller.batch.max_docs': 200,
  'aosc.backfill.controller.overload.base_pause': 250,
  'aosc.backfill.controller.overload.max_pause': 10_000,
  'aosc.replay.controller.overload.base_pause': 250,
  'aosc.replay.controller.overload.max_pause': 10_000,
} as const;

/** The controllers side by side on a node that refuses what does not fit into its queue. */
export async function runOverloadBench(
  options: OverloadOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<OverloadResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, rounds, queue } = options;
  const nodeSettings = { 'thread_pool.write.size': 1, 'thread_pool.write.queue_size': queue };
  const measured = await runOnStack({ nodeSettings, say, signal }, async (urls, service, alive) => {
    const http = createHttpClient(urls);
    try {
      say(`Loading ${group(documents)} documents`);
      await createSource(http, options, alive);
      const kinds = controllers.map(
        (controller): Kind<OverloadRun> =>
          (round) =>
            measure(http, service, options, controller, round, alive),
      );
      const measuredRounds = await alternate(kinds, { rounds }, (run) => say(describeRun(run)));
      return { openSearch: await readVersion(http), ...measuredRounds };
    } finally {
      http.close();
    }
  });
  return {
    kind: 'overload',
    ...describeCircumstances(measured.openSearch),
    documents,
    sourceShards,
    targetShards,
    rounds,
    nodeSettings,
    settings,
    warmUp: measured.warmUp,
    runs: measured.runs,
  };
}

async function measure(
  http: HttpClient,
  service: Service,
  options: OverloadOptions,
  controller: Controller,
  round: number,
  signal: AbortSignal,
): Promise<OverloadRun> {
  await applyProfile(service.apiUrl, { ...settings, 'aosc.backfill.controller.type': controller });
  const before = await readRejected(http);
  const run = await runAosc(http, service, options, round, signal);
  return { ...run, controller, rejected: (await readRejected(http)) - before };
}

async function readRejected(http: HttpClient): Promise<number> {
  const read = (answer: unknown): number => {
    const nodes = readField(answer, 'nodes');
    if (typeof nodes !== 'object' || nodes === null) throw new Error('node statistics without nodes');
    return Object.values(nodes)
      .map((node) => readNumber(readField(readField(node, 'thread_pool'), 'write'), 'rejected'))
      .reduce((sum, rejected) => sum + rejected, 0);
  };
  return callJson(http, read, 'GET', '/_nodes/stats/thread_pool');
}

function describeRun({
  controller,
  round,
  backfillDocsPerSecond,
  bulkRetries,
  rejected,
}: OverloadRun): string {
  return (
    `${nameRound(round)}  ${controller}: backfill ${group(backfillDocsPerSecond)} docs/s, ` +
    `bulk_retries ${bulkRetries}, refused by the node ${rejected}`
  );
}
