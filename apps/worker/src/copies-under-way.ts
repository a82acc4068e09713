import type { ShardRecord } from '@aosc/contract';
import { isPastCopy } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { PastCopy } from './past-copy';

/** A shard whose record says that it waits for its copy, or that the copy runs. */
export interface CopyUnderWay {
  readonly record: ShardRecord;
  readonly sourceIndex: string;
}

/**
 * Reads the shards of all running migrations that are not past their copy, in a number of requests that does not grow
 * with the number of migrations. Callers wait for the end of one call before the next.
 */
export function createCopiesUnderWay(
  store: Pick<MigrationStore, 'listRunning' | 'pollShardsNamed'>,
): (call: Call) => Promise<readonly CopyUnderWay[]> {
  const past = new PastCopy();
  return async (call) => {
    const running = await store.listRunning(call);
    const poll = () => store.pollShardsNamed(past.leftOf(running), call);
    let found = await poll();
    // Repeats at most once: after `note` has forgotten everything, the read leaves nothing out.
    while (!past.note(found)) found = await poll();
    const sources = new Map(running.map(({ key, sourceIndex }) => [key, sourceIndex]));
    return found.flatMap(({ record }) => {
      const sourceIndex = sources.get(record.key);
      return sourceIndex === undefined || isPastCopy(record.phase) ? [] : [{ record, sourceIndex }];
    });
  };
}
