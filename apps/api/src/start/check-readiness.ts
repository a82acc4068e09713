import { ownValue } from '@aosc/contract';
import { findIndexBlocks, type IndexDescription, type IndexRouting } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Problems } from './checks';
import type { StartContext } from './start-context';

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
    const told = why === undefined ? '' : `: ${why}`;
    return [
      `${role} index [${index}] has unready primaries (${active}/${shardCount} active); ${advice}${told}`,
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
