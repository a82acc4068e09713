import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError, type IndexDescription } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { readClusterState } from './cluster-state';
import { readIndex, unlessMissing } from './read-definition';
import { routingShardsOf, virtualShards } from './read-routing';
import { byIndex } from './shapes';
import type { AsksOf } from '../bind-calls';
import type { OpenSearchClient } from '../client/request';
import { readAliasTexts } from '../codec/alias-texts';

const parseIndex = createParser(
  'answer of GET index',
  byName(
    Type.Object({
      data_stream: maybe(Type.String()),
      settings: Type.Object({ 'index.uuid': Type.String() }),
    }),
  ),
);

const parseState = createParser(
  'answer of _cluster/state',
  Type.Object({
    metadata: byIndex(
      Type.Object({
        state: Type.String(),
        routing_num_shards: Type.Integer({ minimum: 1 }),
        mapping_version: Type.Integer(),
        aliases: Type.Array(Type.String()),
        settings: byName(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
      }),
    ),
  }),
);

const wantedState = ['state', 'routing_num_shards', 'mapping_version', 'aliases', 'settings'].map(
  (field) => `metadata.indices.*.${field}`,
);

/**
 * Everything that a decision depends on comes from the cluster's state, where an answer of the past is recognisable.
 * `GET {index}` adds what the state does not show: the properties of aliases, and a data stream. Both answer for an
 * alias with its index's entry, so only an entry of the exact name counts. Fences come and go while a migration runs,
 * so this reads both again when they do not fit together.
 * @throws ClusterError 'transient' when they never do
 */
export const describeIndex: AsksOf<IndexStatePort['describe']> = async (client, index, call) => {
  for (let look = 1; ; look += 1) {
    const found = await lookOnce(client, index, call);
    if (!(found instanceof Misfit)) return found;
    if (look === maxLooks) throw new ClusterError('transient', found.reason);
  }
};

const maxLooks = 5;

/** Two answers, one of which is older than a change. */
class Misfit {
  constructor(readonly reason: string) {}
}

async function lookOnce(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<IndexDescription | Misfit | undefined> {
  const query = { flat_settings: true, filter_path: '*.aliases,*.settings.*uuid,*.data_stream' };
  const [found, metadata] = await Promise.all([
    unlessMissing(readIndex(client, index, parseIndex, { query }, call)),
    readClusterState(client, { index, fields: wantedState }, parseState, call),
  ]);
  const state = ownValue(metadata.metadata?.indices, index);
  if (found?.entry === undefined) {
    if (state === undefined) return undefined;
    return new Misfit(`index ${index} is in the cluster state, and was said to be missing`);
  }
  const { bytes, entry } = found;
  if (state === undefined) return new Misfit(`index ${index} is not in the cluster state`);
  const settings: Readonly<Record<string, string>> = Object.fromEntries(
    // list settings (index.sort.field) come as arrays
    Object.entries(state.settings).flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    ),
  );
  const uuid = settings['index.uuid'];
  if (uuid === undefined || uuid !== entry.settings['index.uuid']) {
    return new Misfit(`index ${index} was replaced while it was being described`);
  }
  const aliases = readAliasTexts(bytes, index);
  if ([...aliases.keys()].toSorted().join() !== state.aliases.toSorted().join()) {
    return new Misfit(`aliases of ${index} were changed while it was being described`);
  }
  return {
    index,
    uuid,
    open: state.state === 'open',
    shardCount: Number(settings['index.number_of_shards']),
    routingShardCount: routingShardsOf(state.routing_num_shards, settings[virtualShards]),
    routingPartitionSize: Number(settings['index.routing_partition_size'] ?? 1),
    mappingVersion: state.mapping_version,
    settings,
    aliases,
    ...(entry.data_stream === undefined ? {} : { dataStream: entry.data_stream }),
  };
}
