import { inheritSettings, type LeftOut } from './inherited-settings';
import { mergePatch } from './merge-patch';
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

/**
 * The definition of an index like the source, with the changes that are asked for.
 * @param source its definition, and the numbers of shards that are in effect
 */
export function planTarget(
  source: Definition & { readonly shardCount: number; readonly routingShardCount: number },
  request: Pick<TargetRequest, 'shardCount' | 'settings' | 'mappings'>,
): TargetPlan {
  const shardCount = request.shardCount ?? source.shardCount;
  const { inherited, leftOut } = inheritSettings(source.settings);
  const { [routingShards]: ring, ...rest } = inherited;
  // The same ring of routing shards keeps documents of one source shard together: a split needs it.
  const fits = source.routingShardCount % shardCount === 0;
  const settings = {
    ...rest,
    [shards]: String(shardCount),
    ...(fits && { [routingShards]: String(source.routingShardCount) }),
  };
  return {
    shardCount,
    definition: {
      settings: asObject(mergePatch(settings, request.settings)),
      mappings: asObject(mergePatch(source.mappings, request.mappings)),
    },
    leftOut: [
      ...leftOut,
      ...(ring !== undefined && !fits
        ? [
            {
              setting: routingShards,
              reason: `${JSON.stringify(ring)} is no multiple of ${shardCount} shards`,
            },
          ]
        : []),
    ],
  };
}

function asObject(value: unknown): Values {
  // A patch that is an object makes an object of everything.
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
