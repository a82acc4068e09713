import {
  type ComparisonReport,
  compareIndices,
  createSourceIndex,
  createTargetIndex,
  readIndexSettings,
  type StatusDocument,
  waitForPhase,
} from '@aosc/testkit';
import { until } from '../../support/environment';
import { readMigrationRecord } from '../../support/records';
import { expectStarted, pathOf, type Workshop } from './workshop';
import { documentPath, fill } from './indices';

/**
 * 2 -> 3 shards with consent: routed documents deleted on the way, one replay round at the most, an alias that was
 * nowhere, and the write block lifted at the end.
 */
export interface MergedSample {
  readonly target: string;
  readonly alias: string;
  readonly ended: StatusDocument;
  readonly comparison: ComparisonReport;
  readonly aliasAfter: unknown;
  readonly sourceSettingsAfter: Readonly<Record<string, string>>;
}

const documents = 100;

export async function runMerged(workshop: Workshop): Promise<MergedSample> {
  const { environment, api, cluster } = workshop;
  const { http, apiUrl, urls } = environment;
  const [source, target, alias] = ['c-merged-v1', 'c-merged-v2', 'c-merged-nowhere'];
  await createSourceIndex(http, { name: source, shards: 2, alias: 'c-merged-other' });
  await createTargetIndex(http, { name: target, shards: 3, replicas: 1 });
  await fill(workshop, source, documents);
  const options = {
    accept_data_loss_if_custom_routing_is_used: true,
    create_alias: true,
    remove_source_write_block_on_success: true,
    max_convergence_rounds_per_shard: 1,
  };
  const started = await api('POST', pathOf(source, '_start'), { target_index: target, alias, options });
  expectStarted(started);
  const { migration_id: id } = started.body as { migration_id: string };
  await until('the copy', async () => (await readMigrationRecord(http, id)).targetRestored);
  for (let at = 0; at < documents; at += 3) await cluster('DELETE', documentPath(source, at));
  await cluster('PUT', `/${target}/_settings`, { 'index.number_of_replicas': 0 });
  const ended = await waitForPhase(apiUrl, source, ['COMPLETED'], { intervalMs: 100 });
  return {
    target,
    alias,
    ended,
    comparison: await compareIndices({ urls, source, target }),
    aliasAfter: await cluster('GET', `/_alias/${alias}`),
    sourceSettingsAfter: await readIndexSettings(http, source),
  };
}
