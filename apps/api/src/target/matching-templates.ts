import { AoscError } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import type { TemplateGifts, Templates } from '@aosc/opensearch';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from '../start/caller';
import { matchesAny } from '../auth/index-pattern';

type Found = Pick<TemplateGifts, 'settings' | 'mappings'>;

export interface NewIndex {
  readonly name: string;
  /** templates for every index do not apply to it */
  readonly isHidden: boolean;
}

/**
 * What index templates would add to a new index: settings and mappings that its definition lacks.
 * @returns the strongest last
 * @throws AoscError precondition_failed when one of them would give it an alias, or makes only data streams
 */
export async function findTemplateGifts(
  { readTemplates, simulateTemplate }: Pick<ApiDependencies, 'readTemplates' | 'simulateTemplate'>,
  index: NewIndex,
  caller: Pick<Caller, 'mayUseAlias'>,
  call: Call,
): Promise<readonly Found[]> {
  const { composable, legacy } = selectTemplates(await readTemplates(call), index);
  if (composable === undefined) {
    for (const { name, aliases } of legacy) refuseAliases(index, { name, aliases }, caller);
    return legacy;
  }
  if (composable.makesStreams) {
    throw new AoscError(
      'precondition_failed',
      `index template [${composable.name}] makes [${index.name}] a data stream; choose another name`,
    );
  }
  const gifts = await simulateTemplate(composable.name, call);
  refuseAliases(index, { ...gifts, name: composable.name }, caller);
  return [gifts];
}

/**
 * The templates that apply to a new index: the composable one with the highest priority, or else all legacy ones.
 * Rules: `MetadataIndexTemplateService.findV2Template` and `findV1Templates` of OpenSearch.
 */
export function selectTemplates(
  { composable, legacy }: Templates,
  { name, isHidden }: NewIndex,
): {
  readonly composable: Templates['composable'][number] | undefined;
  readonly legacy: Templates['legacy'];
} {
  const applies = ({ patterns }: { readonly patterns: readonly string[] }): boolean =>
    matchesAny(patterns, name) && !(isHidden && patterns.includes('*'));
  const [best] = composable.filter(applies).toSorted((a, b) => b.priority - a.priority);
  return {
    composable: best,
    legacy: best === undefined ? legacy.filter(applies).toSorted((a, b) => a.order - b.order) : [],
  };
}

/**
 * An alias on two indices shows documents twice, and without a write index it takes no writes any more. So only the
 * swap may give a target an alias.
 */
function refuseAliases(
  index: NewIndex,
  { name: template, aliases }: { readonly name: string; readonly aliases: readonly string[] },
  { mayUseAlias }: Pick<Caller, 'mayUseAlias'>,
): void {
  if (aliases.length === 0) return;
  const all = aliases.map((alias) => alias.replaceAll('{index}', index.name));
  const names = all.map((alias) => (mayUseAlias(alias) ? `[${alias}]` : 'of others')).join(', ');
  throw new AoscError(
    'precondition_failed',
    `index template [${template}] would give [${index.name}] the alias ${names}: applications would see documents of both ` +
      'indices, and writes through it could fail. Choose a name that the template does not match, or take the alias out of ' +
      'the template',
  );
}
