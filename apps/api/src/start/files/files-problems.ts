import { ownValue, type RoutingMode } from '@aosc/contract';
import { textOf } from '../../target/limited-values';
import type { StartRequest } from '../start-request';

type Values = Readonly<Record<string, unknown>>;

/** What decides whether a target can be made of the source's files. */
export interface FilesCase {
  readonly request: Pick<StartRequest, 'script' | 'createTarget'>;
  readonly mode: RoutingMode;
  readonly source: {
    readonly index: string;
    readonly shardCount: number;
    readonly routingShardCount: number;
    /** flat */
    readonly settings: Values;
  };
  readonly shardCount: number;
}

/** They are written into the files when these are made. */
const inFiles = [
  'index.analysis.',
  'index.number_of_routing_shards',
  'index.replication.type',
  'index.routing_partition_size',
  'index.similarity.',
  'index.soft_deletes.',
  'index.sort.',
];

/** Kinds of sources whose files another index can't have, or whose copy by files could not be kept exact. */
const unfitSources: Readonly<Record<string, (value: string) => boolean>> = {
  'index.append_only.enabled': isTrue,
  'index.composite_index': isTrue,
  'index.remote_store.enabled': isTrue,
  'index.store.type': (value) => value === 'remote_snapshot',
};

/** Each reason for which the documents have to be copied one by one; none: files it can be. */
export function findFilesProblems({ request, mode, source, shardCount }: FilesCase): readonly string[] {
  const { script, createTarget } = request;
  const shards = `${source.shardCount} to ${shardCount} shards`;
  const problems: string[] = [];
  if (script !== undefined) problems.push('a transform_script changes documents');
  if (Object.keys(createTarget?.mappings ?? {}).length > 0)
    problems.push('the mapping of files can not be changed (create_target.mappings)');
  const fixed = Object.keys(createTarget?.settings ?? {}).filter((name) =>
    inFiles.some((prefix) => name.startsWith(prefix)),
  );
  if (fixed.length > 0) problems.push(`[${fixed.join(', ')}] can not be changed in files`);
  if (mode === 'BULK_API') {
    problems.push(`a shard of the source has no target shards of its own with ${shards}`);
  } else if (source.shardCount > 1 && source.routingShardCount % shardCount !== 0) {
    problems.push(
      `the source has [index.number_of_routing_shards] ${source.routingShardCount}, which ${shardCount} shards do not divide`,
    );
  }
  if (mode === 'SPLIT_SHARD' && ownValue(source.settings, 'index.number_of_virtual_shards') !== undefined)
    problems.push('a source with [index.number_of_virtual_shards] is not split by files');
  if (hasSegmentReplicas(source.settings))
    problems.push('a resize waits for replicas by segments, which are behind as long as applications write');
  for (const [name, isUnfit] of Object.entries(unfitSources)) {
    const value = textOf(ownValue(source.settings, name)).toLowerCase();
    if (isUnfit(value)) problems.push(`source index [${source.index}] has [${name}] set to [${value}]`);
  }
  return problems;
}

/** OpenSearch refuses a resize while one of them lacks a byte (3.7.0, `TransportResizeAction`). */
function hasSegmentReplicas(settings: Values): boolean {
  const valueOf = (name: string, usual: string): string =>
    (textOf(ownValue(settings, name)) || usual).toLowerCase();
  if (valueOf('index.replication.type', 'document') !== 'segment') return false;
  const expands = valueOf('index.auto_expand_replicas', 'false') !== 'false';
  return expands || valueOf('index.number_of_replicas', '1') !== '0';
}

function isTrue(value: string): boolean {
  return value === 'true';
}
