import { committedAlias, tokenAlias } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import type { IndexDescription } from '../../ports/index-state-port';
import type { AliasAction } from '../../ports/alias-port';

/** What has become of the commit token, by the target's aliases in one cluster state. */
export type TokenState =
  | 'there'
  /** an abort has removed it */
  | 'taken'
  /** the swap has removed it */
  | 'committed';

/**
 * The swap removes the token and adds `committedAlias` in one update. So if neither is there, an abort has removed the
 * token.
 */
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
 * Decides what follows from a swap whose answer says that an alias is missing.
 * @param reason what was missing, in the cluster's words
 */
export function decideMissing(key: string, reason: string, token: TokenState): CommitDecision {
  if (token === 'committed') return { type: 'committed' };
  // Otherwise the user's alias is missing on the source: a client has moved it.
  return { type: token === 'there' && reason.includes(tokenAlias(key)) ? 'again' : 'refused' };
}

/**
 * The swap moves the alias, and removes token and fences, in one update. The update changes nothing unless it finds the
 * token.
 */
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
