import { type OwnerObservation, progressMark } from '@aosc/domain';
import type { ShardRecord } from '@aosc/contract';
import type { Stored } from '../../ports/store-port';

interface Seen {
  readonly version: string;
  readonly owner: string | undefined;
  readonly activity: number | undefined;
  readonly progress: string;
  readonly changedAt: number;
  readonly answeredAt: number;
  readonly progressedAt: number;
  /** a change was seen, and not only the record as it was found first */
  readonly wasSeenChanging: boolean;
}

interface SeenMigration {
  judgedAt: number;
  lookedAt: number;
  readonly shards: Map<number, Seen>;
}

/** A migration that another process has driven to its end is not looked at here any more. */
const forgetAfterMs = 3_600_000;

export interface ShardObservation extends OwnerObservation {
  /** the work has come no further, in milliseconds */
  readonly unchangedMs: number;
  readonly wasSeenChanging: boolean;
}

/**
 * What this process sees of the shards' records, timed by its own clock that never jumps: whether an owner lives is
 * told by changes, not by comparing the times that processes with different clocks have written. Found for the first
 * time, a record counts as changed just now, so that a process that has just started blames nobody.
 */
export class ShardWatch {
  private readonly migrations = new Map<string, SeenMigration>();

  constructor(private readonly monotonic: () => number) {}

  look({ record, seqNo, primaryTerm }: Stored<ShardRecord>): ShardObservation {
    const { shards } = this.of(record.key);
    const now = this.monotonic();
    const before = shards.get(record.shard);
    const version = `${seqNo}.${primaryTerm}`;
    let seen = before;
    if (before?.version !== version || seen === undefined) {
      const { owner, activity } = record.writer;
      const progress = progressMark(record);
      const isSame = before?.owner === owner && before?.activity === activity;
      seen = {
        version,
        owner,
        activity,
        progress,
        changedAt: now,
        answeredAt: before !== undefined && isSame ? before.answeredAt : now,
        progressedAt: before?.progress === progress ? before.progressedAt : now,
        wasSeenChanging: before !== undefined,
      };
      shards.set(record.shard, seen);
    }
    return {
      hasOwner: seen.owner !== undefined,
      silentMs: now - seen.changedAt,
      idleMs: seen.activity === undefined ? undefined : now - seen.answeredAt,
      unchangedMs: now - seen.progressedAt,
      wasSeenChanging: seen.wasSeenChanging,
    };
  }

  /** True once in each interval, at the first time at once. */
  isDue(key: string, intervalMs: number): boolean {
    const migration = this.of(key);
    const now = this.monotonic();
    if (now - migration.judgedAt < intervalMs) return false;
    migration.judgedAt = now;
    return true;
  }

  /** The migration has ended. */
  forget(key: string): void {
    this.migrations.delete(key);
  }

  private of(key: string): SeenMigration {
    const lookedAt = this.monotonic();
    const known = this.migrations.get(key);
    if (known !== undefined) {
      known.lookedAt = lookedAt;
      return known;
    }
    for (const [other, { lookedAt: last }] of this.migrations) {
      if (lookedAt - last > forgetAfterMs) this.migrations.delete(other);
    }
    const made: SeenMigration = { judgedAt: -Infinity, lookedAt, shards: new Map() };
    this.migrations.set(key, made);
    return made;
  }
}
