import { ownValue, AoscError, type RoutingMode } from '@aosc/contract';
import { findRoutingIncompatibility } from '@aosc/domain';
import { findIndexBlocks, type IndexDescription, type IndexRouting } from '@aosc/engine';
import type { Problems, StartContext } from './checks';
import type { ApiDependencies } from '../dependencies';

const activeStates = ['STARTED', 'RELOCATING'];

/** A missing primary can be neither read nor written. */
export async function findUnreadyPrimaries(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  { source, target, sourceRouting, targetRouting, call }: StartContext,
): Promise<readonly string[]> {
  const unready = async (
    role: string,
    { index, shardCount }: IndexDescription,
    { primaries }: IndexRouting,
    advice: string,
  ): Promise<readonly string[]> => {
    const active = primaries.filter(({ state }) => activeStates.includes(state)).length;
    if (active >= shardCount) return [];
    const why = await cluster.index(index).state.explainUnassigned(call);
    const cause = why === undefined ? '' : `: ${why}`;
    return [
      `${role} index [${index}] has unready primaries (${active}/${shardCount} active); ${advice}${cause}`,
    ];
  };
  return [
    ...(await unready('source', source, sourceRouting, 'wait for GREEN/YELLOW health')),
    ...(targetRouting === undefined
      ? []
      : await unready('target', target, targetRouting, 'wait for all primaries to start')),
  ];
}

/** Settings of the two indices that would stop the copy, or the swap at its end. */
export function findSettingProblems({
  source,
  target,
  options,
}: Pick<StartContext, 'source' | 'target' | 'options'>): readonly Problems[] {
  return [
    [
      'index.blocks',
      [...findIndexBlocks('source', source), ...findIndexBlocks('target', target)].map(
        ({ text, remedy }) => `${text}; ${remedy}`,
      ),
    ],
    ['target.durability', durabilityProblems(target, options.transientTargetSettings)],
    [
      'index.kind',
      [
        ...kindProblems('source', source, onBothSides),
        ...kindProblems('target', target, { ...onBothSides, ...onTheTarget }),
      ],
    ],
  ];
}

interface UnfitKind {
  /** in lower case */
  readonly value: string;
  readonly why: string;
}

/** Kinds of indices that can't be, or hold, the exact copy, by the setting that makes them so. */
const onBothSides: Readonly<Record<string, UnfitKind>> = {
  'index.derived_source.enabled': {
    value: 'true',
    why: 'it does not keep [_source] but builds it from fields, which gives other bytes than were written',
  },
};
const onTheTarget: Readonly<Record<string, UnfitKind>> = {
  'index.append_only.enabled': {
    value: 'true',
    why: 'it takes no document with an id of its own, and no delete',
  },
  'index.composite_index': {
    value: 'true',
    why: 'its star trees count wrongly as soon as a document changes; create the target without it and them',
  },
  'index.store.type': { value: 'remote_snapshot', why: 'it is a searchable snapshot, which takes no writes' },
};
/** A stream fills such an index: no write block stops its messages, and it would write into a copy as well. */
const ingestionType = 'index.ingestion_source.type';

function kindProblems(
  role: string,
  { index, settings }: IndexDescription,
  kinds: Readonly<Record<string, UnfitKind>>,
): readonly string[] {
  const problems = Object.entries(kinds)
    .filter(([name, { value }]) => ownValue(settings, name)?.toLowerCase() === value)
    .map(([name, { value, why }]) => `${role} index [${index}] has [${name}] set to [${value}]: ${why}`);
  const stream = settings[ingestionType]?.toLowerCase() ?? 'none';
  if (stream === 'none') return problems;
  return [
    ...problems,
    `${role} index [${index}] is filled from a stream ([${ingestionType}] is [${stream}]), which no write block stops`,
  ];
}

/** A target that acknowledges a write before its translog is synced can lose what the copy counts as done. */
function durabilityProblems(
  { index, settings }: IndexDescription,
  overrides: StartContext['options']['transientTargetSettings'],
): readonly string[] {
  const name = 'index.translog.durability';
  const effective = String(overrides[name] ?? settings[name] ?? 'request').toLowerCase();
  if (effective !== 'async') return [];
  return [
    `target index [${index}] would have [${name}] set to [async] and could lose writes it has acknowledged; set it to [request]`,
  ];
}

const virtualShards = 'index.number_of_virtual_shards';

/**
 * BULK_API needs the operator's word (contract, section 1).
 * @throws AoscError illegal_argument
 */
export function checkConsent(
  mode: RoutingMode,
  sourceShards: number,
  targetShards: number,
  consent: boolean,
) {
  if (mode !== 'BULK_API' || consent) return;
  const opening =
    targetShards < sourceShards
      ? `Shrinking from ${sourceShards} to ${targetShards} shards`
      : `Non-multiple shard migration (${sourceShards} → ${targetShards} shards)`;
  throw new AoscError(
    'illegal_argument',
    `${opening} cannot safely preserve documents with custom routing. ` +
      'Set options.accept_data_loss_if_custom_routing_is_used=true to proceed.',
  );
}

/** Where documents of one source shard would scatter over target shards that are not its own. */
export function findTopologyProblems(source: IndexDescription, target: IndexDescription): readonly string[] {
  const found = findRoutingIncompatibility(shapeOf(source), shapeOf(target));
  if (found === undefined) return [];
  const shards = `${source.shardCount}->${target.shardCount}`;
  const difference = `(source=${found.source}, target=${found.target}, shards=${shards})`;
  if (found.setting === 'index.number_of_routing_shards') {
    return [
      `source index [${source.index}] and target index [${target.index}] have different ` +
        `[${found.setting}] ${difference}; recreate the target index with ${found.setting}=${found.source}` +
        // They come before the number of routing shards, and are shown as it.
        (target.settings[virtualShards] === undefined ? '' : ` and without ${virtualShards}`),
    ];
  }
  const partitioned = found.source > 1 ? source : target;
  return [
    `${partitioned === source ? 'source' : 'target'} index [${partitioned.index}] is routing-partitioned ` +
      `(${found.setting}=${partitioned.routingPartitionSize}) and the other is not the same way ${difference}; ` +
      `recreate the target index with ${found.setting}=${found.source}`,
  ];
}

function shapeOf(index: IndexDescription) {
  return {
    shardCount: index.shardCount,
    routingShardCount: index.routingShardCount,
    partitionSize: index.routingPartitionSize,
  };
}

/**
 * The copy is made of `_source`. A field that the source index leaves out of `_source` is searchable there and would be
 * missing in the target; what a target leaves out is lost. No count would show either, because the counts are equal.
 */
export async function findSourceFieldProblems(
  { readSourceFilter }: Pick<ApiDependencies, 'readSourceFilter'>,
  { source, target, files, call }: Pick<StartContext, 'source' | 'target' | 'files' | 'call'>,
): Promise<readonly string[]> {
  const find = async (problem: string, index: string): Promise<readonly string[]> => {
    const filter = await readSourceFilter(index, call);
    if (filter === 'whole') return [];
    const how = filter === 'disabled' ? 'is disabled' : 'includes or excludes some fields only';
    return [`${problem}: its mapping's [_source] ${how}`];
  };
  return [
    ...(await find(`source index [${source.index}] can't be copied whole`, source.index)),
    // A target of files does not exist yet, and will have the mapping of the source.
    ...(files === undefined
      ? await find(`target index [${target.index}] would not keep the documents whole`, target.index)
      : []),
  ];
}
