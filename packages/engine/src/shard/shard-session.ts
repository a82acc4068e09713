import type { MigrationPhase, ShardRecord, Snapshot } from '@aosc/contract';
import {
  decideClaim,
  forgetLostOwners,
  type NodeRun,
  progressMark,
  releaseWriter,
  revokeWriter,
  type ShardJobKind,
} from '@aosc/domain';
import { isClusterError } from '../ports/cluster-error';
import type { Stored } from '../ports/store-port';
import { Activity, watchActivity } from './activity';
import type { ShardContext, ShardPacing } from './context';
import { CopyMeter } from './copy-meter';
import { OwnershipLostError } from './errors';
import { type LiveFigures, withLiveFigures } from './live-figures';
import { Pauses } from './pauses';
import { QuietState } from './quiet-state';
import type { LeaseRequest } from './snapshot-lease';
import type { TargetSnapshot } from './target-snapshot';
import { UnclosedSnapshots } from './unclosed-snapshots';

const maxAttempts = 5;
const maxRefusals = 15;
const longestPauseMs = 3200;

export type ClaimResult =
  | { readonly type: 'claimed'; readonly session: ShardSession; readonly takeover: boolean }
  | { readonly type: 'busy' }
  /** no such shard, or it is at its end */
  | { readonly type: 'finished' };

/** When an owner counts as dead; in milliseconds. */
export interface ClaimTiming {
  /** its last beat is as old as this, by this process's clock and the time that the owner has written */
  readonly staleAfterMs: number;
  /** and its record stands still for so long before this process's eyes, whatever the two clocks say */
  readonly confirmMs: number;
}

export interface WorkSignals {
  /** begin nothing new */
  readonly stop: AbortSignal;
  /** end what runs; fires some seconds after `stop`, and at once when the job's lock is lost */
  readonly kill: AbortSignal;
  /** @throws when the job's lock may have run out, by this process's own clock: a paused process wakes up late */
  readonly assertInTime: () => void;
}

/**
 * One process's right to write one shard, for the length of one job.
 *
 * Modes: `owned` (from the claim on) → `released` (handed back, every bulk's outcome known) or `lost`
 * (somebody else took it, or the process may no longer be sure: `signal` fires). Only `owned` may write.
 * When the process is killed the record stays as it is: whoever takes over starts a new epoch.
 */
export class ShardSession {
  private mode: 'owned' | 'released' | 'lost' = 'owned';
  private unsettled = false;
  private chain: Promise<unknown> = Promise.resolve();
  private readonly aborter = new AbortController();
  private readonly failer = new AbortController();

  private readonly activity: Activity;
  /** Whose requests and pauses show in the record that the work goes on. */
  readonly context: ShardContext;

  private constructor(
    context: ShardContext,
    private stored: Stored<ShardRecord>,
    readonly owner: string,
    private readonly signals: WorkSignals,
    private readonly kind: ShardJobKind,
    private members: readonly NodeRun[],
  ) {
    this.meter = new CopyMeter(context.clock);
    this.activity = new Activity(stored.record.writer.activity ?? 0);
    this.context = watchActivity(context, this.activity);
    // A pause on purpose is life.
    this.pauses = new Pauses(this.context.clock);
    this.killSignal = AbortSignal.any([signals.kill, this.aborter.signal]);
    this.signal = AbortSignal.any([signals.stop, this.killSignal, this.failer.signal]);
  }

  /** What this job has copied. */
  readonly meter: CopyMeter;

  /** What the cluster has asked this job to hold back. */
  readonly pauses: Pauses;

  /** Open on the target at the moment. */
  readonly targetSnapshots = new Set<TargetSnapshot>();

  /** What the work tells of itself with each write of the record. */
  readFigures: ((record: ShardRecord) => LiveFigures) | undefined;

  /** What the record does not name, and is not known to be closed. */
  readonly unclosed = new UnclosedSnapshots();

  /** Whether documents that were sent may come once more. */
  readonly quiet = new QuietState();

  /** What the opening of a snapshot has to know of this session. */
  leaseAfter(after?: Snapshot): LeaseRequest {
    return { after, onUnclosed: (pitIds) => this.unclosed.hold(pitIds) };
  }

  private ownPacing: ShardPacing | undefined;
  /** How this job's reads and writes are paced, by the kind of the job. */
  get pacing(): ShardPacing {
    this.ownPacing ??= createPacing(this.context, this.kind);
    return this.ownPacing;
  }

  /**
   * Brings the figures of the work under way into the record, as absolute numbers: with each heartbeat, and at an end
   * that the work itself did not come to book.
   */
  book: (record: ShardRecord) => ShardRecord = (record) => record;

  /** Why the shard can't go on, when something beside the work itself has found out. */
  failure: Error | undefined;

  /** Ends the work because the shard can't go on, whoever tries. */
  fail(error: Error): void {
    this.failure ??= error;
    this.failer.abort(error);
  }

  get isOwned(): boolean {
    return this.mode === 'owned';
  }

  /** Fires when no new work may begin: shutdown, lost lock, lost ownership. Reads and pauses honour it. */
  readonly signal: AbortSignal;
  /** Fires when what runs must end too. Bulks and changes of the record honour it, so that a shutdown knows every outcome. */
  readonly killSignal: AbortSignal;

  /**
   * Takes the shard by compare-and-set.
   * @param owner unique for this job in this process
   * @throws the reason of the signal `stop` while it makes sure that an owner is dead
   */
  static async claim(
    context: ShardContext,
    owner: string,
    signals: WorkSignals,
    kind: ShardJobKind,
    { staleAfterMs, confirmMs }: ClaimTiming = context.timing,
  ): Promise<ClaimResult> {
    const signal = signals.stop;
    const { store, migration, shard, clock } = context;
    const stored = await store.readShard(migration.key, shard, { signal });
    if (stored === undefined || stored.record.phase === 'COMPLETED') return { type: 'finished' };
    if (['CANCELLED', 'FAILING', 'FAILED'].includes(stored.record.phase)) return { type: 'finished' };
    const decision = decideClaim(stored.record, owner, clock.now(), staleAfterMs);
    if (decision.type === 'busy') return { type: 'busy' };
    if (decision.takeover && confirmMs > 0) await clock.sleep(confirmMs, signal);
    // Before the first bulk is sent the record names every node that could come to hold it.
    const members = await context.nodes.members(decision.record.writer.nodes ?? [], { signal });
    const claimed = {
      ...decision.record,
      writer: context.nodes.note(decision.record.writer, members),
    };
    // A process that was asleep may find the shard free, and its job with somebody else.
    signals.assertInTime();
    try {
      // An owner that has beaten meanwhile makes this a conflict: only its clock was another one.
      const after = await store.replaceShard(stored, claimed, { signal });
      return {
        type: 'claimed',
        takeover: decision.takeover,
        session: new ShardSession(context, after, owner, signals, kind, members),
      };
    } catch (error) {
      if (isClusterError(error, 'conflict')) return { type: 'busy' };
      throw error;
    }
  }

  get record(): ShardRecord {
    return this.stored.record;
  }

  get epoch(): number {
    return this.stored.record.writer.epoch;
  }

  /**
   * Changes the record by compare-and-set; one change at a time, each on top of the last.
   * @throws OwnershipLostError when somebody else has changed it.
   */
  update(change: (record: ShardRecord) => ShardRecord): Promise<ShardRecord> {
    const next = this.chain.then(() => this.write(change));
    this.chain = next.catch(() => undefined);
    return next;
  }

  private async write(change: (record: ShardRecord) => ShardRecord): Promise<ShardRecord> {
    this.assertMode();
    const { store, migration, shard, clock } = this.context;
    const ownBeats = new Set<number>();
    for (let attempt = 1; ; attempt++) {
      const changed = withoutOldLosses(this.stored.record, change(this.stored.record));
      // Strictly increasing: the heartbeat also tells our own write from all others when an answer was lost.
      const heartbeatAtMillis = Math.max(clock.now(), this.stored.record.writer.heartbeatAtMillis + 1);
      ownBeats.add(heartbeatAtMillis);
      const activity = this.activity.read();
      const after = withLiveFigures(
        {
          ...changed,
          writer: {
            ...this.context.nodes.note(changed.writer, this.members),
            heartbeatAtMillis,
            activity,
            ...(this.quiet.holds(this.stored.record.writer) && { quietAtMillis: heartbeatAtMillis }),
          },
        },
        this.readFigures?.(changed),
      );
      try {
        this.stored = await store.replaceShard(this.stored, after, { signal: this.killSignal });
        return this.stored.record;
      } catch (error) {
        if (!isClusterError(error, 'conflict', 'transient', 'overload')) throw error;
        // Refused for overload it has changed nothing, and the work beside it may be what the cluster is busy with.
        if (attempt >= (isClusterError(error, 'overload') ? maxRefusals : maxAttempts)) throw error;
        if (!isClusterError(error, 'conflict')) {
          await clock.sleep(Math.min(100 * 2 ** attempt, longestPauseMs), this.killSignal);
        }
        // The answer of an earlier attempt may have been lost on its way: the record tells whose it is.
        const now = await store.readShard(migration.key, shard, { signal: this.killSignal });
        if (now !== undefined && isSameWriter(now.record, after)) {
          this.stored = now;
          if (ownBeats.has(now.record.writer.heartbeatAtMillis)) return now.record;
          continue;
        }
        if (now === undefined || !isSameWriter(now.record, this.stored.record)) {
          throw this.lose('another process has taken the shard over');
        }
        this.stored = now;
      }
    }
  }

  /** @throws OwnershipLostError unless the record still names this owner and the migration still wants the work. */
  async verify(): Promise<void> {
    const { store, migration, shard } = this.context;
    const now = await store.readShard(migration.key, shard, { signal: this.signal });
    if (now?.record.writer.owner !== this.owner || now.record.writer.epoch !== this.epoch) {
      throw this.lose('another process has taken the shard over');
    }
  }

  /** Looks who is in the cluster now: the next change of the record names them. */
  async lookAtNodes(): Promise<void> {
    const known = this.record.writer.nodes ?? [];
    this.members = await this.context.nodes.members(known, { signal: this.signal });
  }

  /** For a wait on purpose that asks nothing of the work's own: an owner that waits does not hang. */
  showLife(): void {
    this.activity.noteWait();
  }

  /** A bulk of this epoch has no known outcome yet: the epoch must be drained before anybody writes again. */
  markUnsettled(): void {
    this.unsettled = true;
  }

  /** Starts the next epoch; its fence must be made, and the older ones drained, before the next write. */
  async openNextEpoch(): Promise<void> {
    await this.update((record) => ({
      ...record,
      writer: { ...record.writer, epoch: record.writer.epoch + 1, fenceReady: false },
    }));
    this.unsettled = false;
  }

  /** Gives the shard back: whoever comes next goes on with the same fence, or with a new one when a bulk is in doubt. */
  async release(change: (record: ShardRecord) => ShardRecord = (record) => record): Promise<void> {
    await this.update((record) => (this.unsettled ? revokeWriter : releaseWriter)(change(record)));
    this.mode = 'released';
  }

  /** Stops all work on the shard in this process. @returns the error to throw */
  lose(reason: string): OwnershipLostError {
    const error = new OwnershipLostError(reason);
    if (this.mode === 'owned') {
      this.mode = 'lost';
      this.aborter.abort(error);
    }
    return error;
  }

  /** @throws OwnershipLostError, or the signal's reason */
  assertOwned(): void {
    this.signal.throwIfAborted();
    this.assertMode();
  }

  private assertMode(): void {
    this.killSignal.throwIfAborted();
    this.signals.assertInTime();
    if (this.mode !== 'owned') throw new OwnershipLostError(`the shard was ${this.mode}`);
  }

  /** Is the migration still in a phase in which this job makes sense? */
  async migrationIsIn(wanted: (phase: MigrationPhase) => boolean): Promise<boolean> {
    const { store, migration } = this.context;
    const now = await store.readMigration(migration.key, { signal: this.signal });
    return now !== undefined && wanted(now.record.phase);
  }
}

function createPacing({ pacing }: ShardContext, kind: ShardJobKind): ShardPacing {
  switch (kind) {
    case 'backfill':
      return pacing.backfill();
    case 'replay':
      return pacing.replay();
    case 'catch_up':
      return pacing.catchUp();
  }
}

function isSameWriter(a: ShardRecord, b: ShardRecord): boolean {
  return a.writer.owner === b.writer.owner && a.writer.epoch === b.writer.epoch;
}

/** Whoever has brought the work further has shown that it can go on. */
function withoutOldLosses(before: ShardRecord, after: ShardRecord): ShardRecord {
  return progressMark(after) === progressMark(before) ? after : forgetLostOwners(after);
}
