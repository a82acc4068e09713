import { createSourceIndex, createTargetIndex, type HttpClient, type SettingValue } from '@aosc/testkit';
import { searchReplicaSettings } from '../support/ground';
import type { Plan } from './plan';
import { refusingMapping } from '../support/refused-mapping';

/** In shards; no plan has as many. */
const otherRing = 5;

/** Makes source and target as the plan has drawn them. */
export async function createIndices(
  http: HttpClient,
  plan: Plan,
  names: { readonly source: string; readonly target: string; readonly alias: string },
): Promise<void> {
  const mappings = mappingsOf(plan);
  const hasVirtual = (side: 'source' | 'target'): boolean =>
    plan.virtualShards === side || plan.virtualShards === 'both';
  // With virtual shards their number decides. The number of routing shards is to be another one then.
  const ringOf = (side: 'source' | 'target'): number =>
    hasVirtual(side) ? plan[side].shardCount * otherRing : plan[side].routingShardCount;
  const settingsOf = (side: 'source' | 'target'): Record<string, SettingValue> => ({
    ...(plan[side].partitionSize > 1 ? { 'index.routing_partition_size': plan[side].partitionSize } : {}),
    ...(hasVirtual(side) ? { 'index.number_of_virtual_shards': plan[side].routingShardCount } : {}),
    ...(plan.ground === 'search_replicas' && searchReplicaSettings),
    ...(plan.features.has('sorted_index') ? { 'index.sort.field': 'n', 'index.sort.order': 'desc' } : {}),
  });
  const { source, target } = plan;
  // The last zone has one of two copies, which may be the primary.
  const replicas = plan.ground === 'weighted_zones' ? 1 : 0;
  await createSourceIndex(http, {
    name: names.source,
    alias: names.alias,
    shards: source.shardCount,
    replicas,
    routingShards: ringOf('source'),
    mappings,
    settings: {
      ...settingsOf('source'),
      'index.gc_deletes': plan.gcDeletes,
      'index.refresh_interval': plan.refreshInterval,
      ...(plan.replication === 'segment' && { 'index.replication.type': 'SEGMENT' }),
      ...(plan.retainedDeletes > 0 && { 'index.soft_deletes.retention.operations': plan.retainedDeletes }),
      ...(plan.features.has('async_translog') ? { 'index.translog.durability': 'async' } : {}),
    },
  });
  if (plan.byFiles) return;
  const { properties, ...rest } = mappings;
  await createTargetIndex(http, {
    name: names.target,
    shards: target.shardCount,
    replicas,
    routingShards: ringOf('target'),
    mappings:
      plan.refuses === 'none' ? mappings : { ...rest, properties: { ...properties, ...refusingMapping } },
    settings: settingsOf('target'),
  });
}

function mappingsOf({ features, routingRequired }: Plan) {
  const has = (feature: Parameters<typeof features.has>[0]): boolean => features.has(feature);
  return {
    dynamic: has('dynamic_templates'),
    ...(routingRequired && { _routing: { required: true } }),
    ...(has('dynamic_templates') && {
      dynamic_templates: [{ words: { match: 'word_*', mapping: { type: 'keyword', ignore_above: 20 } } }],
    }),
    ...(has('derived_field') && {
      derived: { loud_group: { type: 'keyword', script: { source: "emit('loud')" } } },
    }),
    properties: {
      n: { type: 'long' },
      group: { type: 'keyword' },
      title: { type: 'text', fields: { raw: { type: 'keyword' } } },
      stuff: { type: 'object', enabled: false },
      ...(has('nested') && {
        items: { type: 'nested', properties: { name: { type: 'keyword' }, parts: { type: 'nested' } } },
      }),
      ...(has('join') && { relation: { type: 'join', relations: { question: 'answer' } } }),
      ...(has('percolator') && { query: { type: 'percolator' } }),
      ...(has('field_alias') && { number: { type: 'alias', path: 'n' } }),
      ...(has('flat_object') && { flat: { type: 'flat_object' } }),
    },
  };
}
