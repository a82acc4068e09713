import {
  callerId,
  mayTransform,
  mayUseAlias,
  mayUseIndex,
  type Principal,
  requireAlias,
  requireIndex,
} from '../auth/principal';

/** The caller of a start, as far as its checks care. */
export interface Caller {
  /** @throws AoscError forbidden */
  requireIndex(index: string): void;
  mayUseIndex(index: string): boolean;
  /** @throws AoscError forbidden */
  requireAlias(alias: string): void;
  mayUseAlias(alias: string): boolean;
  /** Whether there are indices that no answer may name. */
  readonly isLimited: boolean;
  readonly mayTransform: boolean;
  /** for people; undefined: the API asks for no credentials */
  readonly who: string | undefined;
  /**
   * The name that its work is counted under: kind and name of the credential, or one name for all where there are none.
   */
  readonly id: string;
}

/** @param principal undefined: the API runs without authentication, and each caller may do everything */
export function callerOf(principal: Principal | undefined): Caller {
  return {
    requireIndex: (index) => requireIndex(principal, index),
    mayUseIndex: (index) => mayUseIndex(principal, index),
    requireAlias: (alias) => requireAlias(principal, alias),
    mayUseAlias: (alias) => mayUseAlias(principal, alias),
    isLimited: principal?.indexPatterns !== undefined,
    mayTransform: mayTransform(principal),
    who: whoOf(principal),
    id: whoOf(principal) ?? 'anybody',
  };
}

/** Kind and name of a credential. */
export function whoOf(principal: Principal | undefined): string | undefined {
  return principal === undefined ? undefined : callerId(principal);
}
