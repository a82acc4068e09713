import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { describeIndex } from './describe-index';

const parse = createParser(
  'answer of _cat/segment_replication',
  Type.Array(Type.Object({ checkpoints_behind: Type.String({ pattern: '^[0-9]+$' }) })),
);

/**
 * `GET _cat/segment_replication/{index}`: one row for each replica, told by its primary, which knows its own last
 * refresh at once. (`_stats` is told by the replica, which may not have heard of it.) With document replication a
 * refresh reaches every copy, so nobody is asked.
 * @returns how many replicas do not show yet what their primary shows
 */
export async function countLaggingReplicas(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<number> {
  const described = await describeIndex(client, index, call);
  if (described?.settings['index.replication.type'] !== 'SEGMENT') return 0;
  const rows = await requestJson(
    client,
    {
      method: 'GET',
      path: `/_cat/segment_replication/${indexPath(index)}`,
      query: { format: 'json', h: 'checkpoints_behind' },
    },
    parse,
    call,
  );
  return rows.filter(({ checkpoints_behind: behind }) => behind !== '0').length;
}
