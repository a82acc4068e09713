import { callJson, callRaw, createSourceIndex, createTargetIndex, type HttpClient } from '@aosc/testkit';
import { mappings } from './dataset';
import type { MadeIndices } from './leave-no-trace';
import { alias, source, target } from './names';
import { chooseRoutingShards, type DemoOptions } from './options';
import { readNumber } from './read-number';

/** A load without replicas and refreshes costs half, and a replica is made from a whole copy faster than it is written. */
const whileLoading = { 'index.refresh_interval': '-1', 'index.number_of_replicas': 0 } as const;

/**
 * Makes the source with what `load` puts into it, and the empty target.
 * @param made learns of each index when it is there
 */
export async function prepareIndices(
  http: HttpClient,
  options: DemoOptions,
  made: MadeIndices,
  signal: AbortSignal,
  load: () => Promise<void>,
): Promise<void> {
  const routingShards = chooseRoutingShards(options.sourceShards, options.targetShards);
  const common = { routingShards, mappings };
  const shards = options.sourceShards;
  await createSourceIndex(http, { ...common, name: source, shards, alias, settings: whileLoading });
  await made.note(http, source);
  const replicas = await chooseReplicas(http, signal);
  await createTargetIndex(http, { ...common, name: target, shards: options.targetShards, replicas });
  await made.note(http, target);
  await load();
  const body = JSON.stringify({ 'index.refresh_interval': null, 'index.number_of_replicas': replicas });
  await callRaw(http, { method: 'PUT', path: `/${source}/_settings`, body, signal });
  const green = `/_cluster/health/${source}?wait_for_status=green&timeout=60s`;
  await callRaw(http, { method: 'GET', path: green, signal });
}

/** One where it can be assigned: with one node the target would never be green. */
async function chooseReplicas(http: HttpClient, signal: AbortSignal): Promise<0 | 1> {
  const readNodes = (answer: unknown): number => readNumber(answer, 'number_of_data_nodes');
  const nodes = await callJson(http, readNodes, 'GET', '/_cluster/health', undefined, signal);
  return nodes > 1 ? 1 : 0;
}
