import { didYouMean } from '@aosc/contract';
import { isOwnName } from '@aosc/domain';
import { findUnfitFilter, type IndexDescription } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { preconditionFailed, nameSome } from './check-indices';
import { isAliasName, isIndexName } from './name-problems';
import type { StartContext } from './checks';

/** Names in one answer: an index may have thousands. */
const maxNames = 20;

/** The name must be possible for an alias, and no index but the source may have it. */
export async function findAliasProblems(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  { request, source, call }: Pick<StartContext, 'request' | 'source' | 'call'>,
  caller: Pick<Caller, 'mayUseIndex'>,
): Promise<readonly string[]> {
  const { alias, target } = request;
  if (!isAliasName(alias)) {
    return [`alias [${alias}] is not a valid name: the swap at the end would be refused`];
  }
  if (isIndexName(alias) && (await cluster.index(alias).state.describe(call)) !== undefined) {
    return [`alias [${alias}] conflicts with an existing concrete index of the same name`];
  }
  const holders = await cluster.aliases.indicesOf(alias, call);
  const problems: string[] = [];
  if (holders.includes(target)) {
    problems.push(
      `alias [${alias}] already points to target index [${target}]; remove it before starting a new migration`,
    );
  }
  const unrelated = holders.filter((name) => name !== source.index && name !== target);
  if (unrelated.length > 0) {
    const named = unrelated.filter((name) => caller.mayUseIndex(name)).toSorted();
    const where = named.length === 0 ? '' : `. It is on [${nameSome(named)}]`;
    problems.push(
      `alias [${alias}] already exists on unrelated index(es); remove it first or choose a different alias${where}`,
    );
  }
  return problems;
}

/**
 * The swap would create a mistyped alias, while the applications' own stays on the old index, which then takes no
 * writes. So a new alias needs the operator's word. The contract does not know this refusal, so it comes after all the
 * others.
 * @throws AoscError precondition_failed
 */
export function requireAliasOnSource(
  { request: { alias, options }, source }: Pick<StartContext, 'request' | 'source'>,
  caller: Pick<Caller, 'mayUseAlias'>,
): void {
  if (source.aliases.has(alias) || options?.create_alias === true || !isAliasName(alias)) return;
  throw preconditionFailed(notOnSource(alias, source, caller));
}

/**
 * The filter of the alias moves with it.
 * @throws AoscError precondition_failed when the target can't take it
 */
export async function checkAliasFilter(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  context: Pick<StartContext, 'request' | 'source' | 'target' | 'files' | 'call'>,
): Promise<void> {
  const { request, source, target, files, call } = context;
  // A target of files will have the mapping of the source.
  const taker = files === undefined ? target.index : source.index;
  const unfit = await findUnfitFilter(source, request.alias, cluster.index(taker), call);
  if (unfit !== undefined) throw preconditionFailed(unfit);
}

function notOnSource(
  alias: string,
  { index, aliases }: IndexDescription,
  { mayUseAlias }: Pick<Caller, 'mayUseAlias'>,
): string {
  const create = 'set options.create_alias=true to have the swap create it';
  const known = [...aliases.keys()].filter((name) => !isOwnName(name) && mayUseAlias(name)).toSorted();
  if (known.length === 0) {
    return (
      `alias [${alias}] is not on source index [${index}], which has no alias: add it there and let the applications ` +
      `use it, or ${create}: applications that use the index by its name are refused their writes after the swap`
    );
  }
  const named = known.slice(0, maxNames).join(', ');
  const further = known.length > maxNames ? ` and ${known.length - maxNames} more` : '';
  return (
    `alias [${alias}] is not on source index [${index}], whose aliases are [${named}]${further}` +
    `${didYouMean(alias, known)}; name the alias that the applications use, or ${create}: ` +
    'applications that use another alias are refused their writes after the swap'
  );
}
