import type { MigrationPhase, ShardRecord, Snapshot } from '@aosc/contract';
import type { IndexRoutingShape, ShardJobKind } from '@aosc/domain';
import { Activity, watchActivity } from './activity';
import type { ShardContext, ShardPacing } from '../context';
import type { SourceLook } from '../snapshot/source-look';
import { BulkLatencies } from './bulk-latencies';
import { describeFlow, describeRate, withProgressFigures } from './live-progress';
import { type Claimed, OwnedRecord, type RecordChange, unchanged, type WorkSignals } from './owned-record';
import { Pauses } from './pauses';
import { QuietState } from './quiet-state';
import { retryingReads } from './retrying-reads';
import { ThroughputMeter } from './throughput-meter';

/** A point in time on a shard of the target. It keeps that shard's lock, so the heartbeat looks after it. */
export type TargetSnapshot = Pick<Snapshot, 'pitId' | 'nodeId' | 'allocationId'> & { readonly shard: number };

/**
 * The life of one job on a shard that this process owns: what stops it, what it has under way, what it reports. The job
 * changes the shard's record through the session.
 */
export class ShardSession extends OwnedRecord {
  private readonly activity: Activity;
  private ownPacing: ShardPacing | undefined;
  private counts: RecordChange = unchanged;
  /** Whether the record shows the load that the job puts on the cluster, and how fast it copies (`describeFlow`). */
  protected showsFlow = false;
  private look: Promise<SourceLook> | undefined;
  private shape: IndexRoutingShape | undefined;
  readonly meter: ThroughputMeter;
  readonly latencies: BulkLatencies;
  readonly pauses: Pauses;
  readonly targetSnapshots = new Set<TargetSnapshot>();
  /**
   * Points in time that the job has opened, that no record names, and that are not known to be closed. One call closes
   * those of source and target: both indices are in one cluster.
   */
  readonly unclosed: string[] = [];
  /** Whether a node may still carry out one of the shard's bulks a second time. */
  readonly quiet = new QuietState();

  /** @param context its requests and pauses count as signs of life, which the session writes into the record */
  constructor(
    context: ShardContext,
    claimed: Claimed,
    signals: WorkSignals,
    private readonly kind: ShardJobKind,
  ) {
    const activity = new Activity(claimed.stored.record.writer.activity ?? 0);
    super(watchActivity(context, activity), claimed, signals);
    this.activity = activity;
    this.meter = new ThroughputMeter(context.clock);
    this.latencies = new BulkLatencies(context.clock);
    // The watched clock notes these pauses as signs of life.
    this.pauses = new Pauses(this.context.clock);
  }

  get epoch(): number {
    return this.record.writer.epoch;
  }

  /** How this job's reads and writes are paced, by the kind of the job. */
  get pacing(): ShardPacing {
    this.ownPacing ??= this.context.pacing[this.kind]();
    return this.ownPacing;
  }

  /**
   * From now on each change of the record also writes these counts, as absolute numbers.
   * @param counts left out: no counts are written any more
   */
  count(counts: RecordChange = unchanged): void {
    this.counts = counts;
  }

  /** Keeps a look at the source that began before the shard was claimed, for the first snapshot that is opened. */
  keepLook(look: Promise<SourceLook>): void {
    this.look = look;
  }

  /** @returns the look that was kept, once */
  takeLook(): Promise<SourceLook> | undefined {
    const { look } = this;
    this.look = undefined;
    return look;
  }

  /** How the target spreads its documents. One request asks for it: an index keeps its shape. */
  async targetShape(): Promise<IndexRoutingShape> {
    const { state } = this.context.target;
    this.shape ??= (await retryingReads(this, (call) => state.readRouting(call))).shape;
    return this.shape;
  }

  /** For a wait on purpose, in which no request of the work shows life: an owner that waits does not hang. */
  showLife(): void {
    this.activity.noteWait();
  }

  /** Is the migration still in a phase in which this job makes sense? */
  async migrationIsIn(wanted: (phase: MigrationPhase) => boolean): Promise<boolean> {
    const { store, migration } = this.context;
    const now = await store.readMigration(migration.key, { signal: this.signal });
    return now !== undefined && wanted(now.record.phase);
  }

  protected withSignsOfLife(record: ShardRecord, heartbeatAtMillis: number): ShardRecord {
    const writer = {
      ...record.writer,
      heartbeatAtMillis,
      activity: this.activity.read(),
      ...(this.quiet.holds(this.record.writer) && { quietAtMillis: heartbeatAtMillis }),
    };
    const counted = this.counts({ ...record, writer });
    if (!this.showsFlow) return withProgressFigures(counted, undefined);
    const { currentGap: left = record.progress?.totalDocuments ?? 0 } = record.backfill ?? {};
    const progress = this.kind === 'backfill' ? describeRate(this.meter, left) : undefined;
    return withProgressFigures(counted, { flow: describeFlow(this.pacing, this), progress });
  }
}
