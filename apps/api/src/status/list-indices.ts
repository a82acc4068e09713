import { type IndexItem, type IndexList, listSizes } from '@aosc/contract';
import { isHiddenName, isOwnName } from '@aosc/domain';
import { mayUseAlias, mayUseIndex, type Principal } from '../auth/principal';

/**
 * The indices and aliases that a caller may choose from.
 * @param found aliases by index
 * @param contains a part of the name of an index, or of one of its aliases
 */
export function listIndicesFor(
  principal: Principal | undefined,
  found: ReadonlyMap<string, readonly string[]>,
  contains: string,
): IndexList {
  const indices = [...found]
    .filter(([name]) => !isHiddenName(name) && mayUseIndex(principal, name))
    .map(([name, aliases]): IndexItem => {
      const shown = aliases.filter((alias) => !isOwnName(alias) && mayUseAlias(principal, alias));
      return { name, aliases: shown.toSorted() };
    })
    .filter(({ name, aliases }) => [name, ...aliases].some((text) => text.includes(contains)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { indices: indices.slice(0, listSizes.max), truncated: indices.length > listSizes.max };
}
