import { createParser } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { readRouting } from './read-routing';
import { ShardsSchema } from './shapes';
import type { AsksOf } from '../bind-calls';
import { requestJson, type OpenSearchClient, type SendRequest } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser('answer of all shard copies', Type.Object({ _shards: ShardsSchema }));

/**
 * `POST {index}/_refresh`: searches and points in time opened after it show every operation acknowledged before the
 * call.
 * @throws ClusterError 'transient' unless every primary refreshed and no copy failed
 */
export const refresh: AsksOf<IndexStatePort['refresh']> = (client, index, call) => {
  return onAllPrimaries(client, index, 'refresh', {}, call);
};

/**
 * `POST {index}/_flush?force&wait_if_ongoing`: syncs the translog, so that checkpoints move even with
 * `index.translog.durability: async`. Without `force` OpenSearch would skip an index without new segments.
 * @throws ClusterError as {@link refresh}
 */
export const flush: AsksOf<IndexStatePort['flush']> = (client, index, call) => {
  return onAllPrimaries(client, index, 'flush', { force: true, wait_if_ongoing: true }, call);
};

/**
 * Counts only when every primary took part. With an unassigned primary OpenSearch waits a minute and then answers 200
 * with `failed: 0`; only `successful` lacks the copy. So this reads the routing before, and once more when a copy is
 * missing. Missing replicas are harmless: they catch up when they start.
 */
export async function onAllPrimaries(
  client: OpenSearchClient,
  index: string,
  act: 'refresh' | 'flush' | 'forcemerge',
  query: NonNullable<SendRequest['query']>,
  call: Call,
): Promise<void> {
  const expectActivePrimaries = async (): Promise<void> => {
    const { primaries } = await readRouting(client, index, call);
    const missing = primaries.find(({ state }) => state !== 'STARTED' && state !== 'RELOCATING');
    if (missing === undefined) return;
    const { shard, state } = missing;
    const why = `the ${act} of ${index} can't reach shard ${shard}: its primary is ${state}`;
    throw new ClusterError('transient', why);
  };
  await expectActivePrimaries();
  const what = { method: 'POST', path: `/${indexPath(index)}/_${act}`, query } as const;
  const { total, successful, failed } = (await requestJson(client, what, parse, call))._shards;
  if (failed !== 0) {
    const why = `the ${act} of ${index} failed on ${failed} of ${total} shard copies`;
    throw new ClusterError(act === 'forcemerge' ? 'invalid' : 'transient', why);
  }
  if (successful < total) await expectActivePrimaries();
}
