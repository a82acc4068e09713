import { createParser } from '@aosc/contract';
import { type Call, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser(
  'answer of DELETE _search/point_in_time',
  Type.Object({ pits: Type.Array(Type.Object({ pit_id: Type.String(), successful: Type.Boolean() })) }),
);

/**
 * One request for all of them.
 * @returns those that are not known to be closed
 * @throws ClusterError also 'invalid' when one of the ids can't be read
 */
export async function closeAtOnce(
  client: OpenSearchClient,
  pitIds: readonly string[],
  call: Call,
): Promise<readonly string[]> {
  const body = JSON.stringify({ pit_id: pitIds });
  const what = { method: 'DELETE', path: '/_search/point_in_time', body } as const;
  const { pits } = await requestJson(client, what, parse, call, [404]);
  const closed = new Set(pits.filter(({ successful }) => successful).map(({ pit_id }) => pit_id));
  return pitIds.filter((id) => !closed.has(id));
}

/**
 * `DELETE _search/point_in_time`. One that is gone (expired, closed, index deleted) is answered with
 * `successful: true`; `false` means that its node is not in the cluster. It may come back with the point in time open,
 * and then the shard's lock is held there. One unreadable id makes OpenSearch refuse the whole list, so the ids are
 * then closed one by one; an id that nobody can read is nobody's to close.
 * @returns those that are not known to be closed
 */
export async function closeSnapshots(
  client: OpenSearchClient,
  pitIds: readonly string[],
  call: Call,
): Promise<readonly string[]> {
  if (pitIds.length === 0) return [];
  try {
    return await closeAtOnce(client, pitIds, call);
  } catch (error) {
    if (isClusterError(error, 'not_found', 'snapshot_lost')) return [];
    if (!isClusterError(error, 'invalid')) throw error;
    if (pitIds.length === 1) return [];
    const left: string[] = [];
    for (const pitId of pitIds) left.push(...(await closeSnapshots(client, [pitId], call)));
    return left;
  }
}
