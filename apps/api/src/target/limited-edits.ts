import type { TargetRequest } from './target-request';

/** They say how many copies there are and when they are refreshed and compressed; none of them runs anything. */
const harmless: readonly string[] = [
  'index.codec',
  'index.number_of_replicas',
  'index.number_of_routing_shards',
  'index.refresh_interval',
];
/** Primary shards of one target, unless its source has more: the cluster has a number for all indices together. */
const maxShards = 64;
/** What OpenSearch gives an index that sets none. */
const usualReplicas = 1;

interface Source {
  readonly shardCount: number;
  /** flat */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * What a credential that is limited to some indices may not ask of a target: shards and copies that would fill the
 * cluster, and, without the permission for scripts, whatever the nodes build an index from. Analysers and patterns of a
 * mapping are code just as scripts are: a regular expression can keep a thread busy for ever or end the node, and a
 * `mappings_path` reads a file of the node.
 * @returns why, for the caller; undefined: it may
 */
export function findForbiddenEdit(
  { shardCount = 1, settings, mappings }: Pick<TargetRequest, 'shardCount' | 'settings' | 'mappings'>,
  source: Source,
  { mayTransform }: { readonly mayTransform: boolean },
): string | undefined {
  const shards = Math.max(maxShards, source.shardCount);
  if (shardCount > shards) return `may create at most ${shards} shards of this source`;
  const replicas = Math.max(usualReplicas, numberOf(source.settings['index.number_of_replicas']));
  if (numberOf(settings['index.number_of_replicas']) > replicas) {
    return `may create at most ${replicas} replicas of this source`;
  }
  if (mayTransform) return undefined;
  const setting = Object.keys(settings).find((name) => !harmless.includes(name));
  const edit = setting === undefined ? Object.keys(mappings).map((name) => `mappings.${name}`)[0] : setting;
  if (edit === undefined) return undefined;
  return (
    `may not change [${edit}]: the nodes run what stands in mappings and analysers. Its roles must have [transform]; ` +
    `without it number_of_shards and [${harmless.join(', ')}] may differ from the source`
  );
}

function numberOf(value: unknown): number {
  const number = Number(value ?? usualReplicas);
  return Number.isFinite(number) ? number : usualReplicas;
}
