import { committedAlias, tokenAlias } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';
import type { AliasAction } from '../../ports/alias-port';

/** Where the commit token is, by what one cluster state shows of the target. */
export type TokenState =
  | 'there'
  /** an abort has won it */
  | 'taken'
  /** the commit has won it */
  | 'committed';

/** The call that takes the token for a commit leaves the mark. */
export function readTokenState(key: string, aliasesOfTarget: readonly string[]): TokenState {
  if (aliasesOfTarget.includes(committedAlias(key))) return 'committed';
  return aliasesOfTarget.includes(tokenAlias(key)) ? 'there' : 'taken';
}

export type CommitDecision =
  | { readonly type: 'committed' }
  | { readonly type: 'refused' }
  /** the call's answer and the cluster's state contradict each other */
  | { readonly type: 'again' };

/**
 * What follows from a swap whose answer names something missing.
 * @param reason what was missing, in the cluster's words
 */
export function decideMissing(key: string, reason: string, token: TokenState): CommitDecision {
  if (token === 'committed') return { type: 'committed' };
  // Beside the token only the alias on the source can be missing: a user has moved it.
  return { type: token === 'there' && reason.includes(tokenAlias(key)) ? 'again' : 'refused' };
}

/** The alias, the token and the fences in one update, which changes nothing unless it finds the token. */
export function swapActions(
  { sourceIndex, targetIndex, alias, key }: MigrationRecord,
  source: Pick<IndexDescription, 'aliases'> | undefined,
  fences: readonly string[],
): readonly AliasAction[] {
  const properties = source?.aliases.get(alias);
  return [
    { remove: { index: targetIndex, alias: tokenAlias(key), must_exist: true } },
    ...(properties === undefined ? [] : [{ remove: { index: sourceIndex, alias, must_exist: true } }]),
    { add: { index: targetIndex, alias, ...(properties && { properties }) } },
    { add: { index: targetIndex, alias: committedAlias(key), is_hidden: true } },
    ...fences.map((fence) => ({ remove: { index: targetIndex, alias: fence, must_exist: false } })),
  ];
}
