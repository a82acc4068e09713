import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import { nodeRun } from '@aosc/domain';
import {
  type AliasPort,
  type ClusterPort,
  type IndexAliasPort,
  type SettingsPort,
  type Call,
  ClusterError,
  type WriteBlockState,
} from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { readClusterState, type StateRequest } from './cluster-state';
import { byIndex } from './shapes';
import type { Asks, AsksOf } from '../bind-calls';
import type { OpenSearchClient } from '../client/request';

/** `index.blocks.write` in the blocks of `_cluster/state` (IndexMetadata.INDEX_WRITE_BLOCK) */
const writeBlockId = '8';

/**
 * The blocks in an answer of `_cluster/state`: those of the whole cluster, and index -> id of the block. A block that
 * still waits for earlier writes has a uuid.
 */
export const blocksOfState = {
  /** the first is GatewayService.STATE_NOT_RECOVERED_BLOCK */
  fields: ['blocks.global.1.retryable', 'blocks.indices'],
  schema: maybe(
    Type.Object({
      global: maybe(Type.Object({ '1': maybe(Type.Unknown()) })),
      indices: maybe(byName(byName(Type.Object({ uuid: maybe(Type.String()) })))),
    }),
  ),
};
type Blocks = (typeof blocksOfState.schema)['static'] | undefined;

const parse = createParser(
  'answer of _cluster/state',
  Type.Object({
    blocks: blocksOfState.schema,
    nodes: maybe(byName(Type.Object({ ephemeral_id: Type.String() }))),
    metadata: byIndex(
      Type.Object({
        aliases: Type.Array(Type.String()),
        settings: Type.Object({ 'index.uuid': Type.String() }),
      }),
    ),
  }),
);

const wanted = {
  metrics: ['blocks'],
  fields: ['metadata.indices.*.aliases', 'metadata.indices.*.settings.*uuid', ...blocksOfState.fields],
} as const satisfies StateRequest;

/** For an alias OpenSearch shows the entry of its index: only an entry of the exact name counts. */
async function readState(
  client: OpenSearchClient,
  index: string | undefined,
  request: StateRequest,
  call: Call,
) {
  const named = { ...request, ...(index !== undefined && { index }) };
  const { blocks, nodes = {}, metadata } = await readClusterState(client, named, parse, call);
  // A caller would take a lack of aliases for a taken token, and a lack of blocks for a source that takes writes.
  if (index !== undefined && isUnrecovered(blocks)) throw missingIndex(index, blocks);
  const indices = metadata?.indices ?? {};
  return { blocks, nodes, indices, entry: index === undefined ? undefined : ownValue(indices, index) };
}

/** Until the cluster has recovered its state it answers 200 without any index. */
function isUnrecovered(blocks: Blocks): boolean {
  return blocks?.global?.['1'] !== undefined;
}

/**
 * The answer lacks an index that it would otherwise have: the same as OpenSearch's own 404, unless the cluster has not
 * recovered its state yet.
 */
export function missingIndex(index: string, blocks: Blocks): ClusterError {
  if (isUnrecovered(blocks)) return new ClusterError('transient', 'the cluster state is not recovered yet');
  return new ClusterError('not_found', `there is no index [${index}]`, { type: 'index_not_found_exception' });
}

/**
 * Aliases of one index, from the cluster's state, so that the answer of a former manager is refused.
 * @param pattern `*` stands for any characters
 * @throws ClusterError 'not_found' when there is no such concrete index
 */
export const listAliases: AsksOf<IndexAliasPort['list']> = async (client, index, pattern, call) => {
  const { entry, blocks } = await readState(client, index, wanted, call);
  if (entry === undefined) throw missingIndex(index, blocks);
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 's');
  return entry.aliases.filter((alias) => expression.test(alias));
};

/** `GET _alias` names them as well, but is refused while any index of the cluster has a block of its metadata. */
export const indicesOfAlias: Asks<AliasPort['indicesOf']> = async (client, alias, call) => {
  const { indices } = await readState(client, alias, wanted, call);
  return Object.entries(indices).flatMap(([index, { aliases }]) => (aliases.includes(alias) ? [index] : []));
};

/** Whether a concrete index has this name, from the cluster's state. */
export const isIndexName: Asks<AliasPort['isIndex']> = async (client, name, call) => {
  return (await readState(client, name, wanted, call)).entry !== undefined;
};

/**
 * OpenSearch resolves an alias's name to the index behind it, and no request can say which index it means. So before a
 * call changes an index by its name, this checks that the name is still that of the index with this uuid.
 * @throws ClusterError 'not_found' as for an index that is gone: its name has no index, or another one
 */
export async function requireSameIndex(
  client: OpenSearchClient,
  index: string,
  uuid: string,
  call: Call,
): Promise<void> {
  const { entry, blocks } = await readState(client, index, wanted, call);
  if (entry === undefined) throw missingIndex(index, blocks);
  const found = entry.settings['index.uuid'];
  if (found === uuid) return;
  throw new ClusterError('not_found', `[${index}] is another index by now: it has the uuid [${found}]`, {
    type: 'index_not_found_exception',
  });
}

/** Whether an index refuses writes, by the blocks of an answer. */
export function writeBlockOf(blocks: Blocks, index: string): WriteBlockState {
  const block = ownValue(blocks?.indices, index)?.[writeBlockId];
  if (block === undefined) return 'none';
  return block.uuid === undefined ? 'set' : 'draining';
}

/**
 * While `PUT {index}/_block/write` waits for earlier writes, the block has a uuid. If `index.blocks.write` is then set
 * back, OpenSearch removes the setting but not the block, which becomes a lasting one when those writes have ended. So
 * the setting by itself does not show whether writes are possible.
 */
export const readWriteBlock: AsksOf<SettingsPort['readWriteBlock']> = async (client, index, call) => {
  return writeBlockOf((await readState(client, index, wanted, call)).blocks, index);
};

/** Members of the cluster and aliases of an index, all from one cluster state. */
export const readClusterView: Asks<ClusterPort['readView']> = async (client, index, call) => {
  const request = {
    metrics: ['blocks', 'nodes'],
    fields: [...wanted.fields, 'nodes.*.ephemeral_id'],
  } as const;
  const { nodes, entry } = await readState(client, index, request, call);
  return {
    members: Object.entries(nodes)
      .map(([id, node]) => nodeRun(id, node.ephemeral_id))
      .toSorted(),
    aliases: entry?.aliases ?? [],
  };
};
