import type { ShardRecord } from '@aosc/contract';
import { type OwnerObservation, progressMark } from '@aosc/domain';
import { Cooldown, UnchangedWatch } from '@aosc/signals';
import type { Stored } from '../../ports/store-port';

export interface ShardObservation extends OwnerObservation {
  /** for how long the work has made no progress, in milliseconds */
  readonly unchangedMs: number;
  /** whether this process has seen the record change since its first look */
  readonly wasSeenChanging: boolean;
}

/**
 * Measures by this process's own clock for how long shards' records stay unchanged. A change shows that the shard's
 * owner lives.
 */
export class ShardWatch {
  private readonly watch: UnchangedWatch;
  private readonly judged: Cooldown;

  constructor(monotonic: () => number) {
    this.watch = new UnchangedWatch(monotonic);
    this.judged = new Cooldown(monotonic);
  }

  look({ record, seqNo, primaryTerm }: Stored<ShardRecord>): ShardObservation {
    const { owner, activity } = record.writer;
    const name = `${record.key}/${record.shard}`;
    const written = this.watch.look(`${name} written`, `${seqNo}.${primaryTerm}`);
    const answered = this.watch.look(`${name} answered`, JSON.stringify([owner, activity]));
    const progress = this.watch.look(`${name} progress`, progressMark(record));
    return {
      hasOwner: owner !== undefined,
      silentMs: written.unchangedMs,
      idleMs: activity === undefined ? undefined : answered.unchangedMs,
      unchangedMs: progress.unchangedMs,
      wasSeenChanging: written.changes > 0,
    };
  }

  /** True at the first call, and then once in each interval. */
  isDue(key: string, intervalMs: number): boolean {
    return this.judged.begins(key, intervalMs);
  }
}
