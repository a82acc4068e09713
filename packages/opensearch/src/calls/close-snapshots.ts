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
 * `DELETE _search/point_in_time`. One that is gone (expired, closed, index deleted) is answered with
 * `successful: true`; `false` means that its node is not in the cluster: a dead node holds nothing, and on one
 * that comes back it ends with its keep-alive. One unreadable id makes OpenSearch refuse the whole list, so
 * the ids are then closed one by one.
 */
export async function closeSnapshots(
  client: OpenSearchClient,
  pitIds: readonly string[],
  call: Call,
): Promise<void> {
  if (pitIds.length === 0) return;
  const body = JSON.stringify({ pit_id: pitIds });
  try {
    await requestJson(client, { method: 'DELETE', path: '/_search/point_in_time', body }, parse, call, [404]);
  } catch (error) {
    if (isClusterError(error, 'not_found', 'snapshot_lost')) return;
    if (!isClusterError(error, 'invalid')) throw error;
    if (pitIds.length === 1) return;
    for (const pitId of pitIds) await closeSnapshots(client, [pitId], call);
  }
}
