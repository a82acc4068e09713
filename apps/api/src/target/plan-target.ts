import { AoscError, shorten } from '@aosc/contract';
import { inheritSettings, type LeftOut } from './inherited-settings';
import { mergePatch } from './merge-patch';
import { withoutStarTrees } from './star-trees';
import type { TargetRequest } from './target-request';

type Values = Readonly<Record<string, unknown>>;

/** What an index is made from. */
export interface Definition {
  /** flat */
  readonly settings: Values;
  readonly mappings: Values;
}

export interface TargetPlan {
  readonly shardCount: number;
  readonly definition: Definition;
  readonly leftOut: readonly LeftOut[];
}

const shards = 'index.number_of_shards';
const routingShards = 'index.number_of_routing_shards';
const virtualShards = 'index.number_of_virtual_shards';

/**
 * The definition of an index like the source, with the changes that the caller asks for.
 * @param source its definition, and the numbers of shards that are in effect
 * @throws AoscError illegal_argument when the changes bring what no target can have
 */
export function planTarget(
  source: Definition & { readonly shardCount: number; readonly routingShardCount: number },
  request: Pick<TargetRequest, 'shardCount' | 'settings' | 'mappings'>,
): TargetPlan {
  const shardCount = request.shardCount ?? source.shardCount;
  const { inherited, leftOut } = inheritSettings(source.settings);
  const { mappings, leftOut: trees } = withoutStarTrees(source.mappings);
  const patched = asObject(mergePatch(mappings, request.mappings));
  refuseStarTrees(patched);
  const { [routingShards]: ring, [virtualShards]: virtual, ...rest } = inherited;
  // The same ring of routing shards keeps documents of one source shard together: a split needs it.
  const fits = source.routingShardCount % shardCount === 0;
  const settings = {
    ...rest,
    [shards]: String(shardCount),
    ...(fits && { [routingShards]: String(source.routingShardCount) }),
    ...(fits && virtual !== undefined && { [virtualShards]: virtual }),
  };
  return {
    shardCount,
    definition: {
      settings: asObject(mergePatch(settings, request.settings)),
      mappings: patched,
    },
    leftOut: [
      ...leftOut,
      ...trees,
      ...Object.entries({ [routingShards]: ring, [virtualShards]: virtual }).flatMap(([setting, value]) =>
        value === undefined || fits
          ? []
          : [{ setting, reason: `${JSON.stringify(value)} is no multiple of ${shardCount} shards` }],
      ),
    ],
  };
}

function refuseStarTrees(mappings: Values): void {
  const [tree] = withoutStarTrees(mappings).leftOut;
  if (tree === undefined) return;
  throw new AoscError('illegal_argument', `[${shorten(tree.setting)}] can't be in a target: ${tree.reason}`);
}

function asObject(value: unknown): Values {
  // A merge patch that is an object replaces any other value by an object.
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
