import { setTimeout as sleep } from 'node:timers/promises';
import {
  callJson,
  compareIndices,
  countCities,
  createHttpClient,
  type HttpClient,
  listCities,
  listCityIds,
  loadDocuments,
  makeCity,
  makeVisit,
  startMigration,
  startWriters,
  type StatusDocument,
  terminalPhases,
  verifyAgainstModel,
  waitForPhase,
  type Writers,
} from '@aosc/testkit';
import { type MadeIndices } from './leave-no-trace';
import { alias, source, target } from './names';
import { type DemoOptions, isBulkShape } from './options';
import { prepareIndices } from './prepare-indices';
import { createProgressScreen } from './progress-screen';
import { group } from './progress-view';
import { readNumber } from './read-number';
import { type DemoResult } from './report';
import { type Steps } from './steps';

export interface DemoEndpoints {
  readonly openSearchUrls: readonly string[];
  readonly apiUrl: string;
  /** learns of each index that is made */
  readonly made: MadeIndices;
}

const writeOnAfterSwapMs = 3_000;
const migrationTimeoutMs = 30 * 60_000;

/** Everything between "the servers are up" and the report. */
export async function runDemo(
  options: DemoOptions,
  endpoints: DemoEndpoints,
  { output, steps }: { readonly output: NodeJS.WriteStream; readonly steps: Steps },
  signal: AbortSignal,
): Promise<DemoResult> {
  const { openSearchUrls: urls, apiUrl, made } = endpoints;
  const { say } = steps;
  const http = createHttpClient(urls);
  let writers: Writers | undefined;
  try {
    const count = options.documents ?? countCities();
    const shape = `${options.sourceShards} shards, alias ${alias}`;
    steps.begin('loading', `Loading ${group(count)} documents into ${source} (${shape})`);
    await prepareIndices(http, options, made, signal, async () => {
      await loadDocuments(http, alias, listCities(count), signal, (done) =>
        steps.progress({ what: 'loading', done, total: count, unit: 'documents' }),
      );
    });
    const documentsByShard = await countByShard(http, options.sourceShards, signal);

    steps.begin(
      'migration',
      `Four writers go on through the alias with ${group(options.rate)} operations a second`,
    );
    writers = startWriters({
      urls,
      alias,
      rate: options.rate,
      adopt: listCityIds(count),
      makeDocument: makeCity,
      makePartial: makeVisit,
      giveUpAfterMs: 60_000,
      signal,
    });
    const running = writers;
    const accept = isBulkShape(options.sourceShards, options.targetShards)
      ? { options: { accept_data_loss_if_custom_routing_is_used: true } }
      : {};
    say(`Starting the migration to ${target} (${options.targetShards} shards)`);
    await startMigration(apiUrl, { source, target, alias, ...accept });
    const screen = createProgressScreen(output);
    const onStatus = (status: StatusDocument): void =>
      screen.show(status, { documentsByShard, nowMillis: Date.now(), writers: running.stats() });
    const wait = { signal, timeoutMs: migrationTimeoutMs, onStatus };
    const status = await waitForPhase(apiUrl, source, terminalPhases, wait);

    steps.begin('writing on', `${status.phase}; the writers go on for ${writeOnAfterSwapMs / 1000} s`);
    await sleep(writeOnAfterSwapMs, undefined, { signal });
    await writers.stop();

    steps.begin('comparing', 'Comparing document by document: _id, _routing, _version, bytes of _source');
    // The write block has kept the source as it was at the swap. What the writers changed afterwards went into the
    // target, so those documents are judged by what OpenSearch acknowledged for them, and the rest by the source. On
    // top of that, the alias must show every acknowledged write, from before and after the swap.
    const { model } = writers;
    // Both read through OpenSearch and judge here, so each fills the other's waits.
    const [verification, comparison] = await Promise.all([
      verifyAgainstModel({ urls, index: alias, model, signal }),
      status.phase === 'COMPLETED' ? compareIndices({ urls, source, target, model, signal }) : undefined,
    ]);
    return { status, writers: writers.stats(), comparison, verification };
  } finally {
    await writers?.stop();
    http.close();
  }
}

async function countByShard(
  http: HttpClient,
  shards: number,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let shard = 0; shard < shards; shard += 1) {
    const path = `/${source}/_count?preference=${encodeURIComponent(`_shards:${shard}`)}`;
    counts[shard] = await callJson(
      http,
      (answer) => readNumber(answer, 'count'),
      'GET',
      path,
      undefined,
      signal,
    );
  }
  return counts;
}
