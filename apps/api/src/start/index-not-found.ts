import { AoscError } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { isAliasName } from './index-names';

/** Names in one answer: an alias may be on thousands of indices. */
const maxNames = 20;

/**
 * The error for a name that is no index. Of an alias it tells the indices that it is on, as far as the caller may know
 * of them: they are what was meant.
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

/** Names as a list, and how many there are beside them. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
