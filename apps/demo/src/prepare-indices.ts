import { createParser } from '@aosc/contract';
import { waitUntil } from '@aosc/local-stack';
import {
  callJson,
  callRaw,
  cityMappings,
  createSourceIndex,
  createTargetIndex,
  type HttpClient,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import type { MadeIndices } from './leave-no-trace';
import { alias, source, target } from './names';
import { chooseRoutingShards, type DemoOptions } from './options';
import { readNumber } from './read-number';

const greenTimeoutMs = 5 * 60_000;
const parseHealth = createParser('answer of _cluster/health', Type.Object({ status: Type.String() }));

/** A load without replicas and refreshes costs half, and copying a whole replica is faster than writing it. */
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
  const common = { routingShards, mappings: cityMappings };
  const shards = options.sourceShards;
  await createSourceIndex(http, { ...common, name: source, shards, alias, settings: whileLoading });
  await made.note(http, source);
  const replicas = await chooseReplicas(http, signal);
  await createTargetIndex(http, { ...common, name: target, shards: options.targetShards, replicas });
  await made.note(http, target);
  await load();
  // A replica gets the files of the last flush, and after it each operation by itself. Without a flush that is all of
  // them.
  await callRaw(http, { method: 'POST', path: `/${source}/_flush`, signal });
  const body = JSON.stringify({ 'index.refresh_interval': null, 'index.number_of_replicas': replicas });
  await callRaw(http, { method: 'PUT', path: `/${source}/_settings`, body, signal });
  await waitUntil(() => isGreen(http, signal), {
    what: `${source} to become green`,
    timeoutMs: greenTimeoutMs,
    endedBy: [signal],
  });
}

async function isGreen(http: HttpClient, signal: AbortSignal): Promise<boolean> {
  const path = `/_cluster/health/${source}`;
  return (await callJson(http, parseHealth, 'GET', path, undefined, signal)).status === 'green';
}

/** One replica where the cluster can assign it: with one node the target would never be green. */
async function chooseReplicas(http: HttpClient, signal: AbortSignal): Promise<0 | 1> {
  const readNodes = (answer: unknown): number => readNumber(answer, 'number_of_data_nodes');
  const nodes = await callJson(http, readNodes, 'GET', '/_cluster/health', undefined, signal);
  return nodes > 1 ? 1 : 0;
}
