import type { IndexDescription, IndexRouting } from '@aosc/engine';
import type { StartContext } from './start-context';

const activeStates = ['STARTED', 'RELOCATING'];

/** Primaries that are not there can be neither read nor written. */
export function findUnreadyPrimaries({
  source,
  target,
  sourceRouting,
  targetRouting,
}: StartContext): readonly string[] {
  return [
    ...unready('source', source, sourceRouting, 'wait for GREEN/YELLOW health'),
    ...unready('target', target, targetRouting, 'wait for all primaries to start'),
  ];
}

function unready(
  role: string,
  { index, shardCount }: IndexDescription,
  { primaries }: IndexRouting,
  advice: string,
): readonly string[] {
  const active = primaries.filter(({ state }) => activeStates.includes(state)).length;
  if (active >= shardCount) return [];
  return [`${role} index [${index}] has unready primaries (${active}/${shardCount} active); ${advice}`];
}

/** Settings of the two indices that would stop the copy, or the swap at its end. */
export function findSettingProblems({ source, target, options }: StartContext): readonly string[] {
  return [
    // A full disk's read_only_allow_delete keeps the write block and the move of the alias out, like read_only.
    ...blockProblems('source', source, ['read', 'read_only', 'read_only_allow_delete', 'metadata']),
    ...blockProblems('target', target, ['read', 'write', 'read_only', 'read_only_allow_delete', 'metadata']),
    ...durabilityProblems(target, options.transientTargetSettings),
  ];
}

function blockProblems(
  role: string,
  { index, settings }: IndexDescription,
  blocks: readonly string[],
): readonly string[] {
  return blocks
    .map((block) => `index.blocks.${block}`)
    .filter((name) => settings[name] === 'true')
    .map((name) => `${role} index [${index}] is blocked by [${name}]; remove the block first`);
}

/** A target that acknowledges what it has not synced can lose what the copy counts as done. */
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
