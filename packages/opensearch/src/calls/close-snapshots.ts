import { createParser } from '@aosc/contract';
import { isClusterError, type SnapshotPort } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Asks } from '../bind-calls';
import { requestJson } from '../client/request';

const parse = createParser(
  'answer of DELETE _search/point_in_time',
  Type.Object({ pits: Type.Array(Type.Object({ pit_id: Type.String(), successful: Type.Boolean() })) }),
);

/**
 * Closes all of them in one request.
 * @returns those that are not known to be closed
 * @throws ClusterError also 'invalid' when OpenSearch can't read one of the ids
 */
export const closeAtOnce: Asks<SnapshotPort['close']> = async (client, pitIds, call) => {
  const body = JSON.stringify({ pit_id: pitIds });
  const what = { method: 'DELETE', path: '/_search/point_in_time', body } as const;
  const { pits } = await requestJson(client, what, parse, call, [404]);
  const closed = new Set(pits.filter(({ successful }) => successful).map(({ pit_id }) => pit_id));
  return pitIds.filter((id) => !closed.has(id));
};

/**
 * `DELETE _search/point_in_time`. For a point in time that is gone (expired, closed, index deleted) OpenSearch answers
 * `successful: true`; `false` means that its node is not in the cluster. The node may come back with the point in time
 * open, and then still holds the shard's lock. One unreadable id makes OpenSearch refuse the whole list, so this then
 * closes the ids one by one; an unreadable id names no point in time that could be closed.
 * @returns those that are not known to be closed
 */
export const closeSnapshots: Asks<SnapshotPort['close']> = async (client, pitIds, call) => {
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
};
