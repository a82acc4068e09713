import { LRUCache } from 'lru-cache';
import { mayUseIndex, type Principal } from './principal';

const maxIndices = 2_000;

/**
 * Which indices a caller may use, remembered for as long as its credential is in use: a stream asks about every
 * migration at every look, and a credential may have a thousand patterns.
 */
export function rememberIndices(): (principal: Principal | undefined) => (index: string) => boolean {
  const known = new WeakMap<Principal, LRUCache<string, boolean>>();
  return (principal) => {
    if (principal?.indexPatterns === undefined) return () => true;
    const memoMethod = (index: string): boolean => mayUseIndex(principal, index);
    const answers = known.get(principal) ?? new LRUCache<string, boolean>({ max: maxIndices, memoMethod });
    known.set(principal, answers);
    return (index) => answers.memo(index);
  };
}
