import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { OpenSearchClient } from '../client/request';
import { readClusterState } from './cluster-state';

const BlocksSchema = byName(Type.Object({ description: Type.String(), levels: Type.Array(Type.String()) }));

const parse = createParser(
  'blocks in _cluster/state',
  Type.Object({
    blocks: maybe(
      Type.Object({
        global: maybe(BlocksSchema),
        indices: maybe(byName(BlocksSchema)),
      }),
    ),
  }),
);

/**
 * `GET _cluster/state/blocks/{index}`.
 * @returns what keeps writes from the index, in the cluster's words: blocks of the whole cluster, and the index's own
 */
export async function findWriteBlocks(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<readonly string[]> {
  const parts = ['description', 'levels'];
  const fields = parts.flatMap((part) => [`blocks.global.*.${part}`, `blocks.indices.*.*.${part}`]);
  const { blocks } = await readClusterState(client, { metrics: ['blocks'], index, fields }, parse, call);
  const describe = (found: typeof BlocksSchema.static | undefined, whose: string): readonly string[] =>
    Object.values(found ?? {})
      .filter(({ levels }) => levels.includes('write'))
      .map(({ description }) => `[${description}] of ${whose}`);
  return [
    ...describe(blocks?.global, 'the cluster'),
    ...describe(ownValue(blocks?.indices, index), `index [${index}]`),
  ];
}
