import type { ShardRecord } from '@aosc/contract';
import { isPastCopy } from '@aosc/domain';
import type { Stored, Call } from '@aosc/engine';
import type { RunningMigration, ShardName, MigrationStore } from '@aosc/store';

type Migration = Pick<RunningMigration, 'key' | 'sourceShardCount'>;

/**
 * Shards that were seen past their copy. None of them comes back to it, so no read needs them again. Holds only shards
 * of migrations that ran at the last look.
 */
export class PastCopy {
  private seen = new Map<string, Set<number>>();
  /** the newest primary term of the records in any read */
  private term = 0;

  /** Forgets all other migrations. @returns the shards of these that may still be copied */
  leftOf(running: readonly Migration[]): readonly ShardName[] {
    this.seen = new Map(running.map(({ key }) => [key, this.seen.get(key) ?? new Set<number>()]));
    return running.flatMap(({ key, sourceShardCount }) =>
      Array.from({ length: sourceShardCount }, (_, shard) => ({ key, shard })).filter(
        (each) => this.seen.get(key)?.has(each.shard) !== true,
      ),
    );
  }

  /**
   * Notes what was read.
   * @returns whether the shards that were left out are still known to be past the copy. They are not when the records
   * have a new primary: the old primary may have shown a write that it was about to lose. Then everything is forgotten,
   * these records included.
   */
  note(records: readonly Stored<ShardRecord>[]): boolean {
    const term = records.reduce((newest, { primaryTerm }) => Math.max(newest, primaryTerm), this.term);
    const wasEmpty = [...this.seen.values()].every((shards) => shards.size === 0);
    const holds = term === this.term || wasEmpty;
    this.term = term;
    if (!holds) {
      this.seen.clear();
      return false;
    }
    for (const { record } of records) {
      if (isPastCopy(record.phase)) this.seen.get(record.key)?.add(record.shard);
    }
    return true;
  }
}

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
