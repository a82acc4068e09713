import { AoscError, type Role, roles } from '@aosc/contract';
import { matchesPattern } from './index-pattern';

/** Who sends a request. */
export interface Principal {
  readonly name: string;
  readonly kind: 'user' | 'api_key';
  readonly roles: readonly Role[];
  /** undefined: every index */
  readonly indexPatterns: readonly string[] | undefined;
}

/** Whether one of the caller's roles is the needed one or includes it. */
export function hasRole(principal: Principal, needed: Role): boolean {
  return principal.roles.some((role) => roles.indexOf(role) >= roles.indexOf(needed));
}

/** @param principal undefined: the API runs without authentication, and everybody may use every index */
export function mayUseIndex(principal: Principal | undefined, index: string): boolean {
  const patterns = principal?.indexPatterns;
  return patterns === undefined || patterns.some((pattern) => matchesPattern(pattern, index));
}

/** @throws AoscError forbidden */
export function requireIndex(principal: Principal | undefined, index: string): void {
  if (principal === undefined || mayUseIndex(principal, index)) return;
  throw new AoscError(
    'forbidden',
    `[${principal.name}] may not use index [${index}]: its credential is limited to [${(principal.indexPatterns ?? []).join(', ')}]`,
  );
}
