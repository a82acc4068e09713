import type { ShardRecord } from '@aosc/contract';
import { isPastCopy } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** A shard that waits for its copy or is copied, by its record. */
export interface CopyUnderWay {
  readonly record: ShardRecord;
  readonly sourceIndex: string;
}

/**
 * Reads the shards of all running migrations that are not past their copy, in a number of requests that does not grow with
 * the number of migrations.
 */
export function createCopiesUnderWay(
  store: Pick<MigrationStore, 'listRunning' | 'pollShardsNamed'>,
): (call: Call) => Promise<readonly CopyUnderWay[]> {
  return async (call) => {
    const running = await store.listRunning(call);
    const shards = running.flatMap(({ key, sourceShardCount }) =>
      Array.from({ length: sourceShardCount }, (_, shard) => ({ key, shard })),
    );
    const found = await store.pollShardsNamed(shards, call);
    const sources = new Map(running.map(({ key, sourceIndex }) => [key, sourceIndex]));
    return found.flatMap(({ record }) => {
      const sourceIndex = sources.get(record.key);
      return sourceIndex === undefined || isPastCopy(record.phase) ? [] : [{ record, sourceIndex }];
    });
  };
}
