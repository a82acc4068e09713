import {
  readIndexSettings,
  readStatus,
  type StatusDocument,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { until } from '../../support/environment';
import { readMigrationRecord } from '../../support/records';
import { type Answer, pathOf, type Workshop } from './workshop';
import { documentPath, fill, makePair, type Names } from './indices';

/** A migration that was started with every default, 2 -> 4 shards, while it could not begin its backfill. */
export interface BegunSample extends Names {
  readonly started: Answer;
  /** while every shard waited for a permit */
  readonly pending: StatusDocument;
  readonly listedPending: Answer;
  readonly targetSettings: Readonly<Record<string, string>>;
  readonly secondStart: Answer;
  readonly otherIntoTarget: Answer;
  readonly startOfTarget: Answer;
}

export interface CompletedSample extends BegunSample {
  /** what writes to the source were answered with, while the copy ran */
  readonly writes: readonly unknown[];
  readonly listedHeld: Answer;
  /** before the cutover, when everything so far was replayed */
  readonly held: StatusDocument;
  readonly ended: StatusDocument;
  readonly cancelAfter: Answer;
  readonly sourceSettingsAfter: Readonly<Record<string, string>>;
  readonly targetSettingsAfter: Readonly<Record<string, string>>;
  /** answer of OpenSearch for the alias */
  readonly aliasAfter: unknown;
}

export const loaded = 200;
const routingShards = 8;

/** The target asks for a replica that one node can't give: the cutover waits until the sample takes it away. */
export async function beginCompleted(workshop: Workshop): Promise<BegunSample> {
  const { environment, api, cluster } = workshop;
  const names = await makePair(
    workshop,
    'c-completed',
    { shards: 2, routingShards },
    { shards: 4, routingShards, replicas: 1, settings: { 'index.refresh_interval': '7s' } },
  );
  const { source, target, alias } = names;
  const add = { index: source, alias, is_write_index: true, filter: { exists: { field: 'key' } } };
  await cluster('POST', '/_aliases', { actions: [{ add }] });
  await fill(workshop, source, loaded);
  await makePair(workshop, 'c-late', { shards: 1 }, { shards: 1 });

  const body = { target_index: target, alias };
  const started = await api('POST', pathOf(source, '_start'), body);
  const settings = () => readIndexSettings(environment.http, target);
  await until('the transient settings', async () => (await settings())['index.refresh_interval'] === '-1');
  return {
    ...names,
    started,
    pending: await readStatus(environment.apiUrl, source),
    listedPending: await api('GET', '/_plugins/_aosc/_list?status=ACTIVE&size=500'),
    targetSettings: await settings(),
    secondStart: await api('POST', pathOf(source, '_start'), { target_index: 'c-late-v2', alias }),
    otherIntoTarget: await api('POST', pathOf('c-late-v1', '_start'), { ...body, alias: 'c-late' }),
    startOfTarget: await api('POST', pathOf(target, '_start'), { target_index: 'c-late-v2', alias: 'c-new' }),
  };
}

/** Writes while the cutover is held, then opens it and waits for the end. */
export async function endCompleted(workshop: Workshop, begun: BegunSample): Promise<CompletedSample> {
  const { environment, api, cluster } = workshop;
  const { source, target, alias } = begun;
  const { http, apiUrl } = environment;
  await until(
    'the settings of the target',
    async () => (await readMigrationRecord(http, begun.pending.migration_id)).targetRestored,
  );
  const writes = [];
  for (let at = 0; at < 20; at += 1) {
    writes.push(await cluster('PUT', documentPath(alias, at), { key: `changed ${at}` }));
    writes.push(await cluster('DELETE', documentPath(alias, 100 + at)));
    writes.push(await cluster('PUT', documentPath(alias, loaded + at), { key: `new ${at}` }));
  }
  const held = await waitForStatus(
    apiUrl,
    source,
    ({ shards }) =>
      Object.values(shards).every(
        ({ convergence }) => convergence?.current_gap === 0 && (convergence.operations_applied ?? 0) > 0,
      ),
    'rounds of convergence with work',
    { intervalMs: 100 },
  );
  const listedHeld = await api('GET', '/_plugins/_aosc/_list?status=PREPARING_TARGET,CUTTING_OVER');
  await cluster('PUT', `/${target}/_settings`, { 'index.number_of_replicas': 0 });
  const ended = await waitForPhase(apiUrl, source, ['COMPLETED'], { intervalMs: 100 });
  return {
    ...begun,
    writes,
    listedHeld,
    held,
    ended,
    cancelAfter: await api('POST', pathOf(source, '_cancel')),
    sourceSettingsAfter: await readIndexSettings(http, source),
    targetSettingsAfter: await readIndexSettings(http, target),
    aliasAfter: await cluster('GET', `/_alias/${alias}`),
  };
}
