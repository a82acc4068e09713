import type { MigrationPhase, ShardRecord } from '@aosc/contract';
import type { IndexRoutingShape, ShardJobKind } from '@aosc/domain';
import { Activity, watchActivity } from './activity';
import type { ShardContext, ShardPacing } from '../context';
import type { OwnershipLostError } from '../errors';
import type { SourceLook } from '../snapshot/source-look';
import type { TargetSnapshot } from '../snapshot/target-snapshot';
import { BulkLatencies } from './bulk-latencies';
import { LiveProgress } from './live-progress';
import { type Claimed, OwnedRecord } from './owned-record';
import { Pauses } from './pauses';
import { QuietState } from './quiet-state';
import { retryingReads } from './retrying-reads';
import { ThroughputMeter } from './throughput-meter';

export interface WorkSignals {
  /** begin nothing new */
  readonly stop: AbortSignal;
  /** end what runs; fires some seconds after `stop`, and at once when the job's lock is lost */
  readonly kill: AbortSignal;
  /** @throws when the job's lock may have run out, by this process's own clock: a paused process wakes up late */
  readonly assertInTime: () => void;
}

/**
 * The life of one job on a shard that this process owns: what stops it, what it has under way, what it tells of itself.
 * The record that it owns is changed through it.
 */
export class ShardSession {
  private readonly owned: OwnedRecord;
  private readonly failer = new AbortController();
  private readonly activity: Activity;
  private ownPacing: ShardPacing | undefined;
  private look: Promise<SourceLook> | undefined;
  private shape: IndexRoutingShape | undefined;

  /** The context whose requests and pauses show in the record that the work goes on. */
  readonly context: ShardContext;
  /** What this job has copied. */
  readonly meter: ThroughputMeter;
  /** How long the cluster takes for this job's bulks. */
  readonly latencies: BulkLatencies;
  /** What the cluster has asked this job to hold back. */
  readonly pauses: Pauses;
  /** What the job tells of its work while it is at it. */
  readonly progress = new LiveProgress();
  /** Open on the target at the moment. */
  readonly targetSnapshots = new Set<TargetSnapshot>();
  /**
   * Points in time that were opened, are named by no record, and are not known to be closed. Those of source and target are
   * closed by one call: both indices are in one cluster.
   */
  readonly unclosed: string[] = [];
  /** Whether documents that were sent may come once more. */
  readonly quiet = new QuietState();
  /** Fires when no new work may begin: shutdown, lost lock, lost ownership. Reads and pauses honour it. */
  readonly signal: AbortSignal;
  /** Fires when what runs must end too. Bulks and changes of the record honour it, so that a shutdown knows every outcome. */
  readonly killSignal: AbortSignal;
  /** Why the shard can't go on, when something beside the work itself has found out. */
  failure: Error | undefined;

  constructor(
    context: ShardContext,
    claimed: Claimed,
    signals: WorkSignals,
    private readonly kind: ShardJobKind,
  ) {
    this.meter = new ThroughputMeter(context.clock);
    this.latencies = new BulkLatencies(context.clock);
    this.activity = new Activity(claimed.stored.record.writer.activity ?? 0);
    this.context = watchActivity(context, this.activity);
    // A pause on purpose is life.
    this.pauses = new Pauses(this.context.clock);
    const lost = new AbortController();
    this.killSignal = AbortSignal.any([signals.kill, lost.signal]);
    this.owned = new OwnedRecord(this.context, claimed, {
      signal: this.killSignal,
      assertInTime: signals.assertInTime,
      onLost: (error) => lost.abort(error),
      complete: (record, beatAtMillis) => this.withSignsOfLife(record, beatAtMillis),
    });
    this.signal = AbortSignal.any([signals.stop, this.killSignal, this.failer.signal]);
  }

  get owner(): string {
    return this.owned.owner;
  }

  get record(): ShardRecord {
    return this.owned.record;
  }

  get epoch(): number {
    return this.record.writer.epoch;
  }

  get isOwned(): boolean {
    return this.owned.isOwned;
  }

  /** How this job's reads and writes are paced, by the kind of the job. */
  get pacing(): ShardPacing {
    this.ownPacing ??= createPacing(this.context, this.kind);
    return this.ownPacing;
  }

  /** Keeps a look at the source that was begun before the shard was claimed, for the first snapshot that is opened. */
  keepLook(look: Promise<SourceLook>): void {
    this.look = look;
  }

  /** @returns what was kept, once */
  takeLook(): Promise<SourceLook> | undefined {
    const { look } = this;
    this.look = undefined;
    return look;
  }

  /** How the target spreads its documents. It is asked for once: an index keeps that. */
  async targetShape(): Promise<IndexRoutingShape> {
    const { state } = this.context.target;
    this.shape ??= (await retryingReads(this, (call) => state.readRouting(call))).shape;
    return this.shape;
  }

  /** See {@link OwnedRecord.update}. */
  update(change: (record: ShardRecord) => ShardRecord): Promise<ShardRecord> {
    return this.owned.update(change);
  }

  /** @throws OwnershipLostError unless the stored record still names this owner and epoch */
  verify(): Promise<void> {
    return this.owned.verify(this.signal);
  }

  /** Looks which nodes are in the cluster now: the next change of the record names them. */
  lookAtNodes(): Promise<void> {
    return this.owned.lookAtNodes(this.signal);
  }

  /** A bulk of this epoch has no known outcome yet: the epoch must be drained before anybody writes again. */
  markUnsettled(): void {
    this.owned.markUnsettled();
  }

  /** Starts the next epoch; its fence must be made, and the older ones drained, before the next write. */
  openNextEpoch(): Promise<void> {
    return this.owned.openNextEpoch();
  }

  /** See {@link OwnedRecord.handedBack}: for a change that is the last one of this job. */
  handedBack(record: ShardRecord): ShardRecord {
    return this.owned.handedBack(record);
  }

  /** Gives the shard back. */
  async release(change: (record: ShardRecord) => ShardRecord = (record) => record): Promise<void> {
    await this.update((record) => this.handedBack(change(record)));
  }

  /** Stops all work on the shard in this process. @returns the error to throw */
  lose(reason: string): OwnershipLostError {
    return this.owned.lose(reason);
  }

  /** Ends the work because the shard can't go on, whoever tries. */
  fail(error: Error): void {
    this.failure ??= error;
    this.failer.abort(error);
  }

  /** For a wait on purpose that asks nothing of the work's own: an owner that waits does not hang. */
  showLife(): void {
    this.activity.noteWait();
  }

  /** @throws OwnershipLostError, or the signal's reason */
  assertOwned(): void {
    this.signal.throwIfAborted();
    this.owned.assertOwned();
  }

  /** Is the migration still in a phase in which this job makes sense? */
  async migrationIsIn(wanted: (phase: MigrationPhase) => boolean): Promise<boolean> {
    const { store, migration } = this.context;
    const now = await store.readMigration(migration.key, { signal: this.signal });
    return now !== undefined && wanted(now.record.phase);
  }

  private withSignsOfLife(record: ShardRecord, heartbeatAtMillis: number): ShardRecord {
    const writer = {
      ...record.writer,
      heartbeatAtMillis,
      activity: this.activity.read(),
      ...(this.quiet.holds(this.record.writer) && { quietAtMillis: heartbeatAtMillis }),
    };
    return this.progress.show({ ...record, writer });
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
