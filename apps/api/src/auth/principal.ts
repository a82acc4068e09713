import { AoscError, type Grant, type Role, roles } from '@aosc/contract';
import { matchesAny } from './index-pattern';

/** Who sends a request. */
export interface Principal {
  readonly name: string;
  readonly kind: 'user' | 'api_key';
  readonly roles: readonly Grant[];
  /** undefined: every index */
  readonly indexPatterns: readonly string[] | undefined;
  /** undefined: every alias */
  readonly aliasPatterns?: readonly string[] | undefined;
}

/** Kind and name of a credential: a user and a key may have one name. */
export const callerId = ({ kind, name }: Pick<Principal, 'kind' | 'name'>): string => `${kind} ${name}`;

/** Whether one of the caller's roles is the needed one or includes it. */
export function hasRole(principal: Principal, needed: Role): boolean {
  const from = roles.indexOf(needed);
  return roles.slice(from).some((role) => principal.roles.includes(role));
}

const covers = (patterns: readonly string[] | undefined, name: string): boolean =>
  patterns === undefined || matchesAny(patterns, name);

/** @param principal undefined: the API runs without authentication, and every caller may use every index */
export const mayUseIndex = (principal: Principal | undefined, index: string): boolean =>
  covers(principal?.indexPatterns, index);

export const mayUseAlias = (principal: Principal | undefined, alias: string): boolean =>
  covers(principal?.aliasPatterns, alias);

/** Aliases as an answer shows them: those beyond the caller's patterns have no name there, and are not left out. */
export const shownAliases = (
  caller: { mayUseAlias(alias: string): boolean },
  aliases: readonly string[],
): string[] => [...new Set(aliases.map((alias) => (caller.mayUseAlias(alias) ? alias : '(another alias)')))];

/** @throws AoscError forbidden */
export function requireIndex(principal: Principal | undefined, index: string): void {
  if (principal === undefined || mayUseIndex(principal, index)) return;
  throw outOfReach(principal, `index [${index}]`, `[${(principal.indexPatterns ?? []).join(', ')}]`);
}

/** @throws AoscError forbidden */
export function requireAlias(principal: Principal | undefined, alias: string): void {
  if (principal === undefined || mayUseAlias(principal, alias)) return;
  throw outOfReach(principal, `alias [${alias}]`, `aliases [${(principal.aliasPatterns ?? []).join(', ')}]`);
}

const outOfReach = ({ name }: Principal, what: string, reach: string): AoscError =>
  new AoscError('forbidden', `[${name}] may not use ${what}: its credential is limited to ${reach}`);

/** Whether the caller may give the cluster a script to run. Without patterns, `operate` is enough. */
export function mayTransform(principal: Principal | undefined): boolean {
  if (principal === undefined) return true;
  const { indexPatterns, roles: own } = principal;
  return hasRole(principal, 'operate') && (indexPatterns === undefined || own.includes('transform'));
}
