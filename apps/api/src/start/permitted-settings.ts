import { didYouMean, shorten } from '@aosc/contract';
import { matchesAny } from '../auth/index-pattern';

/**
 * What a request may set on the target while the copy fills it: the settings of OpenSearch (2.x to 3.7) that can change
 * on an open index, by name or by group, without those that would change or stop the copy. They steer only the target's
 * own copies, segments, caches and logs, and none of them reads anything or runs with the service's rights.
 */
export const permitted: readonly string[] = [
  'index.aggregation.*',
  'index.allocation.max_retries',
  'index.analyze.max_token_count',
  'index.auto_expand_replicas',
  'index.auto_expand_search_replicas',
  'index.auto_force_merge.enabled',
  'index.bulk.adaptive_shard_selection.enabled',
  'index.compound_format',
  'index.context_aware.*',
  'index.default_pipeline',
  'index.derived_source.translog.enabled',
  'index.flush_after_merge',
  'index.hidden',
  'index.highlight.max_analyzed_offset',
  'index.indexing.slowlog.*',
  'index.knn.*',
  'index.mapper.dynamic',
  'index.mapping.*',
  'index.max_*',
  'index.merge.*',
  'index.merge_on_flush.*',
  'index.number_of_replicas',
  'index.number_of_search_replicas',
  'index.optimize_auto_generated_id',
  'index.optimize_doc_id_lookup.*',
  'index.periodic_flush_interval',
  'index.priority',
  'index.query.*',
  'index.refresh_interval',
  'index.remote_store.translog.*',
  'index.requests.cache.enable',
  'index.routing.allocation.*',
  'index.routing.rebalance.enable',
  'index.search.*',
  'index.segment_replication.*',
  'index.soft_deletes.*',
  'index.tiered.storage.slowlog.*',
  'index.translog.*',
  'index.unassigned.node_left.delayed_timeout',
  'index.unreferenced_file_cleanup.enabled',
];

/**
 * Settings of a request that are neither in the list nor among the cluster's defaults that an administrator has set.
 * This service does not know settings that plugins add, and they may do anything.
 * @param settings of the request
 * @param defaults `aosc.defaults.transient_target_settings`
 */
export function findUnknownSettings(
  settings: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.keys(settings)
    .filter((name) => !isPermittedSetting(name) && !Object.hasOwn(defaults, name))
    .map(
      (name) =>
        `transient_target_settings must not set [${shorten(name)}]${didYouMean(name, permitted)}; ` +
        'docs/reference/target-settings.md has those that a request may set, and an administrator permits others by ' +
        'aosc.defaults.transient_target_settings',
    );
}

/** Whether a request may give a target this setting. @param more names and groups beside those that a start may set */
export function isPermittedSetting(name: string, more: readonly string[] = []): boolean {
  return matchesAny([...permitted, ...more], name);
}
