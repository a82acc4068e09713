import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError, type IndexDescription, isIndexMissing } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { parseAnswer, request, requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { readAliasTexts } from '../codec/alias-texts';
import { indexPath } from '../index-path';

const parseIndex = createParser(
  'answer of GET index',
  Type.Record(
    Type.String(),
    Type.Object({
      data_stream: Type.Optional(Type.String()),
      settings: Type.Record(
        Type.String(),
        Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()]),
      ),
    }),
  ),
);

const parseState = createParser(
  'answer of _cluster/state',
  Type.Object({
    metadata: Type.Optional(
      Type.Object({
        indices: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              state: Type.String(),
              routing_num_shards: Type.Integer({ minimum: 1 }),
              settings: Type.Object({ index: Type.Object({ uuid: Type.String() }) }),
            }),
          ),
        ),
      }),
    ),
  }),
);

const wantedState = [
  'metadata.indices.*.state',
  'metadata.indices.*.routing_num_shards',
  'metadata.indices.*.settings.index.uuid',
].join(',');

/**
 * `GET {index}` for settings and aliases, `_cluster/state` for what only the metadata has (`routing_num_shards`
 * in effect, open or closed). Both answer for an alias with its index's entry; only the very name counts.
 */
export async function describeIndex(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<IndexDescription | undefined> {
  const name = indexPath(index);
  const [found, metadata] = await Promise.all([
    readIndex(client, name, call),
    readMetadata(client, name, call),
  ]);
  const entry = ownValue(found?.indices, index);
  const state = ownValue(metadata.metadata?.indices, index);
  if (found === undefined || entry === undefined) return undefined;
  if (state === undefined) throw new ClusterError('transient', `index ${index} is not in the cluster state`);
  const settings: Readonly<Record<string, string>> = Object.fromEntries(
    // list settings (index.sort.field) come as arrays
    Object.entries(entry.settings).flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    ),
  );
  const uuid = settings['index.uuid'];
  if (uuid === undefined || uuid !== state.settings.index.uuid) {
    throw new ClusterError('transient', `index ${index} was made anew while it was being described`);
  }
  return {
    index,
    uuid,
    open: state.state === 'open',
    shardCount: Number(settings['index.number_of_shards']),
    routingShardCount: state.routing_num_shards,
    routingPartitionSize: Number(settings['index.routing_partition_size'] ?? 1),
    settings,
    aliases: readAliasTexts(found.bytes, index),
    ...(entry.data_stream === undefined ? {} : { dataStream: entry.data_stream }),
  };
}

async function readIndex(client: OpenSearchClient, name: string, call: Call) {
  const query = { flat_settings: true, filter_path: '*.aliases,*.settings,*.data_stream' };
  try {
    const bytes = await request(client, { method: 'GET', path: `/${name}`, query }, call);
    return { bytes, indices: parseAnswer(bytes, parseIndex, `GET /${name}`) };
  } catch (error) {
    // Another 404 (a proxy's) does not prove that the index is gone.
    if (isIndexMissing(error)) return undefined;
    throw error;
  }
}

function readMetadata(client: OpenSearchClient, name: string, call: Call) {
  const path = `/_cluster/state/metadata/${name}`;
  return requestJson(client, { method: 'GET', path, query: { filter_path: wantedState } }, parseState, call);
}
