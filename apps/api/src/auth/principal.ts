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

/** @param principal undefined: the API runs without authentication, and every caller may use every index */
export function mayUseIndex(principal: Principal | undefined, index: string): boolean {
  const patterns = principal?.indexPatterns;
  return patterns === undefined || matchesAny(patterns, index);
}

/** @throws AoscError forbidden */
export function requireIndex(principal: Principal | undefined, index: string): void {
  if (principal === undefined || mayUseIndex(principal, index)) return;
  throw new AoscError(
    'forbidden',
    `[${principal.name}] may not use index [${index}]: its credential is limited to [${(principal.indexPatterns ?? []).join(', ')}]`,
  );
}

/** Whether the caller may give the cluster a script to run. Without patterns, `operate` is enough. */
export function mayTransform(principal: Principal | undefined): boolean {
  if (principal === undefined) return true;
  const { indexPatterns, roles: own } = principal;
  return hasRole(principal, 'operate') && (indexPatterns === undefined || own.includes('transform'));
}

export function mayUseAlias(principal: Principal | undefined, alias: string): boolean {
  const patterns = principal?.aliasPatterns;
  return patterns === undefined || matchesAny(patterns, alias);
}

/** @throws AoscError forbidden */
export function requireAlias(principal: Principal | undefined, alias: string): void {
  if (principal?.aliasPatterns === undefined || mayUseAlias(principal, alias)) return;
  const patterns = principal.aliasPatterns;
  throw new AoscError(
    'forbidden',
    `[${principal.name}] may not use alias [${alias}]: its credential is limited to aliases [${patterns.join(', ')}]`,
  );
}
