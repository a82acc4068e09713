import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { aliasPath, indexPath } from '../index-path';

const parse = createParser(
  'answer of _block',
  Type.Object({
    acknowledged: Type.Boolean(),
    shards_acknowledged: Type.Boolean(),
    indices: Type.Array(
      Type.Object({
        name: Type.String(),
        blocked: Type.Optional(Type.Boolean()),
        exception: Type.Optional(Type.Unknown()),
        failed_shards: Type.Optional(Type.Array(Type.Unknown())),
      }),
    ),
  }),
);

/**
 * `PUT {index}/_block/write`: sets the block and waits, shard by shard, until no write holds an operation permit. Only
 * `blocked: true` for the index proves that. A second call on a blocked index answers `shards_acknowledged: false,
 * indices: []`, which proves nothing.
 * @param through an alias of the index; the answer names the index behind it
 */
export async function blockWrites(
  client: OpenSearchClient,
  index: string,
  call: Call,
  through?: string,
): Promise<{ readonly confirmed: boolean }> {
  const path = `/${through === undefined ? indexPath(index) : aliasPath(through)}/_block/write`;
  const answer = await requestJson(client, { method: 'PUT', path }, parse, call);
  const entry = answer.indices.length === 1 ? answer.indices[0] : undefined;
  const confirmed =
    answer.acknowledged &&
    answer.shards_acknowledged &&
    entry?.name === index &&
    entry.blocked === true &&
    entry.exception === undefined &&
    entry.failed_shards === undefined;
  return { confirmed };
}
