import { instead, isClusterError } from './cluster-error';

/**
 * What an attempt decides: a result without a write, or a write that succeeds only if the record is still as it was
 * read.
 */
export type Attempt<T> = { readonly result: T } | { readonly write: () => Promise<T> };

/** The most attempts at a record that other writers change, too. */
const maxTries = 10;

/**
 * Changes a record by compare-and-set. On a conflict (another writer has changed the record since it was read) it asks
 * `attempt` again, at once, so a change never overwrites a change that it has not seen. It throws every other error of
 * the write, because the write may have landed, and every error of `attempt`.
 * @param attempt reads the record, and decides from that alone
 * @param tries bound of the attempts
 * @throws ClusterError 'conflict' when each attempt has met a conflict
 */
export async function compareAndSet<T>(
  attempt: (attempts: number) => Promise<Attempt<T>>,
  tries = maxTries,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const next = await attempt(attempts);
    if ('result' in next) return next.result;
    try {
      return await next.write();
    } catch (error) {
      if (!isClusterError(error, 'conflict') || attempts >= tries) throw error;
    }
  }
}

/**
 * One write by compare-and-set that its caller does not repeat.
 * @returns undefined on a conflict: another writer has changed the record since it was read
 */
export function unlessConflict<T>(write: () => Promise<T>): Promise<T | undefined> {
  return Promise.resolve().then(write).catch(instead(undefined, 'conflict'));
}
