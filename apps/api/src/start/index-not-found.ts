import { AoscError } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { isAliasName } from './index-names';

/** Names in one answer: an alias may be on thousands of indices. */
const maxNames = 20;

/**
 * The error for a name that is no index. For an alias it names the alias's indices, as far as the caller may know them:
 * the caller meant one of those.
 */
export async function indexNotFound(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  { role, name }: { readonly role: 'source' | 'target'; readonly name: string },
  caller: Pick<Caller, 'mayUseIndex'>,
  call: Call,
): Promise<AoscError> {
  const holders = isAliasName(name) ? await cluster.aliases.indicesOf(name, call) : [];
  const known = holders.filter((index) => caller.mayUseIndex(index)).toSorted();
  const hint = known.length === 0 ? '' : `: ${name} is an alias of ${nameSome(known)}; name the index itself`;
  return new AoscError('illegal_argument', `${role} index [${name}] not found${hint}`);
}

/** The first names as a list, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
