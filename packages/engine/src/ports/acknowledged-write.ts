import type { ShardRecord } from '@aosc/contract';
import { type ClusterError, isClusterError } from './cluster-error';
import { compareAndSet, unlessConflict } from './compare-and-set';
import type { Stored, StorePort } from './store-port';

/**
 * Only an acknowledged write counts. A primary that is cut off from its replicas shows records that it is going to
 * lose, and takes writes that it never answers. So no decision rests on a read alone. After a read the functions below
 * write the record again, changed or not, and only the answer to this write counts. This also settles an earlier write
 * that had no answer.
 */

/** One record of `.aosc-migrations`. */
export interface RecordAccess<R> {
  readonly read: () => Promise<Stored<R> | undefined>;
  readonly replace: (before: Stored<R>, after: R) => Promise<Stored<R>>;
}

export function accessShard(
  store: Pick<StorePort, 'readShard' | 'replaceShard'>,
  { key, shard }: Pick<ShardRecord, 'key' | 'shard'>,
  signal: AbortSignal,
): RecordAccess<ShardRecord> {
  return {
    read: () => store.readShard(key, shard, { signal }),
    replace: (before, after) => store.replaceShard(before, after, { signal }),
  };
}

/** The most conflicts in a row with other writers of the record. */
const maxConflicts = 5;

/**
 * Writes the record that `decide` makes of a record that was read. After a conflict this reads and decides again.
 * @param decide gives the record to be written, an unchanged record included; undefined: there is nothing to write
 * @returns undefined: nothing was written, because `decide` gave nothing, the record is gone, or there were too many
 *   conflicts
 * @throws ClusterError when there is no answer
 */
export async function writeFound<R>(
  { read, replace }: RecordAccess<R>,
  first: Stored<R>,
  decide: (found: Stored<R>, tries: number) => R | undefined,
): Promise<Stored<R> | undefined> {
  const attempt = async (tries: number) => {
    const found = tries === 1 ? first : await read();
    const after = found && decide(found, tries);
    if (found === undefined || after === undefined) return { result: undefined };
    return { write: () => replace(found, after) };
  };
  return unlessConflict(() => compareAndSet<Stored<R> | undefined>(attempt, maxConflicts));
}

/** How an owner writes its record until it has an answer. */
export interface OwnWrite<R> {
  /**
   * @returns the record to be written. If `before` already has the change, an earlier try without an answer has made
   *   it: then the change must not be made again
   * @param last error of the try before
   */
  readonly next: (before: R, tries: number, last?: ClusterError) => R;
  /** @returns milliseconds until the next try; undefined: there is none, and the error is thrown */
  readonly pauseMs: (error: ClusterError, tries: number) => number | undefined;
  /**
   * Whether the record after a failed try is still the owner's: the try has landed, or the record still names the
   * owner.
   */
  readonly isOwn: (now: R, written: R) => boolean;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Writes a record that the caller owns, or is about to own. A conflict need not come from another writer: the caller's
 * own write may have landed without an answer, and the cluster repeats a write when a primary dies. So after each
 * failed try this reads the record, which names its owner. A read that fails is a failed try, too: a caller that gave up
 * there would not know its own write, and could later take it for another owner's.
 * @returns `lostBy`: the error after which the record turned out to be another owner's
 */
export async function writeOwn<R>(
  { read, replace }: RecordAccess<R>,
  found: Stored<R>,
  { next, pauseMs, isOwn, sleep }: OwnWrite<R>,
): Promise<{ readonly stored: Stored<R> } | { readonly lostBy: ClusterError }> {
  let before = found;
  let written: R | undefined;
  let last: ClusterError | undefined;
  for (let tries = 1; ; tries++) {
    try {
      if (last !== undefined && written !== undefined) {
        const now = await read();
        if (now === undefined || !isOwn(now.record, written)) return { lostBy: last };
        before = now;
      }
      written = next(before.record, tries, last);
      return { stored: await replace(before, written) };
    } catch (error) {
      if (!isClusterError(error)) throw error;
      last = error;
    }
    const ms = pauseMs(last, tries);
    if (ms === undefined) throw last;
    if (ms > 0) await sleep(ms);
  }
}
