import type { ApiDependencies } from '../dependencies';
import { isAliasName, isIndexName } from './index-names';
import type { StartContext } from './start-context';

/** An alias that exists nowhere is fine: the swap creates it. One that is elsewhere is not ours to move. */
export async function findAliasProblems(
  { cluster }: ApiDependencies,
  { request, source, target, call }: StartContext,
): Promise<readonly string[]> {
  const { alias } = request;
  if (!isAliasName(alias)) {
    return [`alias [${alias}] is not a valid name: the swap at the end would be refused`];
  }
  if (isIndexName(alias) && (await cluster.index(alias).state.describe(call)) !== undefined) {
    return [`alias [${alias}] conflicts with an existing concrete index of the same name`];
  }
  const holders = await cluster.aliases.indicesOf(alias, call);
  const problems: string[] = [];
  if (holders.includes(target.index)) {
    problems.push(
      `alias [${alias}] already points to target index [${target.index}]; remove it before starting a new migration`,
    );
  }
  const unrelated = holders.filter((name) => name !== source.index && name !== target.index);
  if (unrelated.length > 0) {
    problems.push(
      `alias [${alias}] already exists on unrelated index(es); remove it first or choose a different alias`,
    );
  }
  return problems;
}
