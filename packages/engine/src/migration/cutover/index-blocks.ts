import { type MigrationRecord, ownValue } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';

/**
 * Each of these blocks prevents the copy, the write block or the swap. OpenSearch itself sets `read_only_allow_delete`
 * when a disk is full.
 */
const onBothSides = ['search_only', 'read', 'read_only', 'read_only_allow_delete', 'metadata'];
/** A `write` block of the source is no obstacle: an operator may have stopped the writers with it. */
const blocksOf = { source: onBothSides, target: [...onBothSides, 'write'] } as const;

/**
 * Finds blocks of an index under which a migration can't end: the names of their settings, and what an operator can do
 * about each.
 */
export function findIndexBlocks(
  role: keyof typeof blocksOf,
  { index, settings }: Pick<IndexDescription, 'index' | 'settings'>,
): readonly { readonly text: string; readonly remedy: string }[] {
  return blocksOf[role]
    .map((block) => `index.blocks.${block}`)
    .filter((name) => ownValue(settings, name) === 'true')
    .map((name) =>
      name === 'index.blocks.search_only'
        ? {
            text: `${role} index [${index}] has no primaries ([${name}] is set)`,
            remedy: `give them back first, with POST /${index}/_scale and {"search_only": false}`,
          }
        : {
            text: `${role} index [${index}] is blocked by [${name}]`,
            remedy: `remove the block first, with PUT /${index}/_settings and {"${name}": null}`,
          },
    );
}

/**
 * The first block of either index of a migration. An index that is gone has no block here: the steps that need the
 * index report that it is gone.
 */
export function findBlockedIndex(
  { sourceUuid, targetUuid }: Pick<MigrationRecord, 'sourceUuid' | 'targetUuid'>,
  source: IndexDescription | undefined,
  target: IndexDescription | undefined,
): ReturnType<typeof findIndexBlocks>[number] | undefined {
  return [
    ...(source?.uuid === sourceUuid ? findIndexBlocks('source', source) : []),
    ...(target?.uuid === targetUuid ? findIndexBlocks('target', target) : []),
  ][0];
}
