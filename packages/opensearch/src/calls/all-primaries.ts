import { type Call, ClusterError } from '@aosc/engine';
import type { OpenSearchClient } from '../client/types';
import { readRouting } from './read-routing';

interface Shards {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

/**
 * Runs a refresh or flush so that it counts only when every primary took part. With an unassigned primary OpenSearch
 * waits a minute and then answers 200 with `failed: 0`; only `successful` lacks the copy. So this reads the routing
 * before, and once more when a copy is missing. Missing replicas are harmless: they catch up when they start.
 * @throws ClusterError 'transient'
 */
export async function onAllPrimaries(
  client: OpenSearchClient,
  index: string,
  what: string,
  act: () => Promise<{ readonly _shards: Shards }>,
  call: Call,
): Promise<void> {
  await expectActivePrimaries(client, index, what, call);
  const { total, successful, failed } = (await act())._shards;
  if (failed !== 0) {
    throw new ClusterError(
      'transient',
      `the ${what} of ${index} failed on ${failed} of ${total} shard copies`,
    );
  }
  if (successful < total) await expectActivePrimaries(client, index, what, call);
}

async function expectActivePrimaries(
  client: OpenSearchClient,
  index: string,
  what: string,
  call: Call,
): Promise<void> {
  const { primaries } = await readRouting(client, index, call);
  const missing = primaries.find(({ state }) => state !== 'STARTED' && state !== 'RELOCATING');
  if (missing === undefined) return;
  const { shard, state } = missing;
  throw new ClusterError(
    'transient',
    `the ${what} of ${index} can't reach shard ${shard}: its primary is ${state}`,
  );
}
