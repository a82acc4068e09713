import type { MigrationPhase, MigrationRecord, ShardRecord } from '@aosc/contract';
import type { MigrationIn, NextPhase } from '@aosc/domain';
import type { UnchangedWatch } from '@aosc/signals';
import type { Call } from '../../ports/call';
import type { Clock } from '../../ports/clock';
import type { ClusterPorts, IndexPorts } from '../../ports/index-ports';
import type { JobsPort } from '../../ports/jobs-port';
import type { LogPort } from '../../ports/log-port';
import type { RefusedStorePort, Stored, StorePort, VerificationStorePort } from '../../ports/store-port';
import type { TracePort } from '../../ports/trace-port';
import type { NodeWatch } from '../../cluster/node-watch';
import type { BlockWatch } from './block-watch';
import type { ShardWatch } from './shard-watch';

export interface CoordinatorTiming {
  readonly requestTimeoutMs: number;
  /** a write block that lasts longer than this makes the migration fail, which lifts the block */
  readonly writeBlockMaxMs: number;
  /**
   * for how long after a migration's end `guard` looks for what the migration has left in the cluster; `watchCopies`
   * may extend this time
   */
  readonly guardMs: number;
  /** a shard whose record has not changed for this long has no live worker */
  readonly staleAfterMs: number;
}

interface CutoverSettings {
  readonly holdWriters: boolean;
  readonly maxHoldMs: number;
  readonly maxPauseMs: number;
}

/** The ports and settings of the coordinator, the same for every migration. */
export interface CoordinatorContext {
  readonly cluster: ClusterPorts;
  readonly store: StorePort & ClaimsPort & VerificationStorePort;
  /** store of documents that the target refuses; left out: what it holds stays after the migration's end */
  readonly refused?: Pick<RefusedStorePort, 'forgetAll'>;
  readonly jobs: JobsPort;
  /** one object for the process, because it measures by the process's own looks how long a node has been away */
  readonly nodes: NodeWatch;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly timing: CoordinatorTiming;
  readonly metrics: CoordinatorMetrics;
  /** Called with the records that each step has read. The step waits for this call, so the call must return at once. */
  readonly onLook?: (record: MigrationRecord, shards: readonly ShardRecord[]) => void;
  /** Called after each change of phase that was written; must return at once. */
  readonly onMoved?: (before: MigrationRecord, after: MigrationRecord) => void;
  /** left out: no traces */
  readonly trace?: TracePort;
  /** one object for the process, because it measures a block's age from the process's first look at the block */
  readonly blocks: BlockWatch;
  /**
   * the present settings `aosc.cutover.*`; left out: writers are not held, and no setting bounds the pause of writes
   */
  readonly cutover?: (() => CutoverSettings) | undefined;
  /**
   * Whether ACTIVE looks again for what would make the copy useless (changed settings, a moved alias). A look at every
   * step would cost too much. A call that returns true starts the time until the next look. Left out: ACTIVE looks at
   * each step.
   */
  readonly areSettingsDue?: (key: string) => boolean;
  /**
   * Measures, by the migration's key, for how long all tries at its step have failed. Left out: the record shows no
   * error that may be gone at the next try.
   */
  readonly troubles?: UnchangedWatch;
  /** undefined: other processes judge which workers are dead */
  readonly liveness: Liveness | undefined;
  /**
   * true: an abort leaves out its parts that wait: for a write block that has landed late, for bulks that still run,
   * and for snapshots to be closed
   */
  readonly abortsAtOnce?: boolean;
  /**
   * uuid of the cluster that this process works with; undefined: a step does not compare it with the record's, because
   * `clearMigration` also ends a migration of another cluster
   */
  readonly clusterUuid: string | undefined;
  /** Fires on shutdown and when the job's lock may be lost. */
  readonly signal: AbortSignal;
  /**
   * Called before changes of the cluster that could do harm if another process drove the migration.
   * @throws when this process can't be sure any more that it alone drives the migration
   */
  readonly assertMandate: () => void;
}

/** The context of a step, with the ports of the migration's two indices instead of the port of the cluster. */
export interface StepContext extends Omit<CoordinatorContext, 'cluster'> {
  readonly source: IndexPorts;
  readonly target: IndexPorts;
}

/** Binds the ports to the indices that a record names. */
export function bindIndices(
  { cluster, ...rest }: CoordinatorContext,
  {
    sourceIndex,
    sourceUuid,
    targetIndex,
    targetUuid,
  }: Pick<MigrationRecord, 'sourceIndex' | 'sourceUuid' | 'targetIndex' | 'targetUuid'>,
): StepContext {
  return {
    ...rest,
    source: cluster.index(sourceIndex, sourceUuid),
    // A record has the uuid '' while its target is still to be made.
    target: cluster.index(targetIndex, targetUuid || undefined),
  };
}

interface CoordinatorMetrics {
  writeBlockEnded(seconds: number): void;
  migrationEnded(phase: 'COMPLETED' | 'CANCELLED' | 'FAILED'): void;
}

/** What a long-lived process knows of the workers of its migrations. */
export interface Liveness {
  readonly watch: ShardWatch;
  /** the present settings `aosc.liveness.*` and `aosc.backfill.max_concurrent_per_node` */
  readonly settings: () => {
    readonly checkIntervalMs: number;
    readonly timeoutMs: number;
    readonly permits: number;
  };
  /** Worker processes that take jobs. @throws when Redis does not answer */
  readonly countWorkers: () => Promise<number>;
  /** Called when a shard was taken from its owner. */
  readonly onOwnerLost: (how: 'silent' | 'stuck') => void;
}

/**
 * Claims on indices. A start claims its source and its target, so that no other migration can have them. A migration
 * releases its claims at its end.
 */
export interface ClaimsPort {
  releaseClaims(record: MigrationRecord, call: Call): Promise<void>;
  /** The running migration that has this index as its source or as its target. */
  findMigrationUsing(indexName: string, call: Call): Promise<MigrationRecord | undefined>;
  /** Migrations that run, and ended migrations that `guard` still looks after. Read in real time. */
  listActive(call: Call): Promise<readonly Stored<MigrationRecord>[]>;
}

/** The migration as one step sees it. */
export interface MigrationView<P extends MigrationPhase = MigrationPhase> {
  readonly stored: Stored<MigrationRecord>;
  readonly record: MigrationIn<P>;
  readonly shards: readonly Stored<ShardRecord>[];
}

/** @returns the first shard that has no record */
export function missingShard(
  { sourceShardCount }: Pick<MigrationRecord, 'sourceShardCount'>,
  shards: MigrationView['shards'],
): number | undefined {
  const known = new Set(shards.map(({ record }) => record.shard));
  return Array.from({ length: sourceShardCount }, (_, shard) => shard).find((shard) => !known.has(shard));
}

/** The step's result is a record that the coordinator stores by compare-and-set. */
export interface Changed<P extends MigrationPhase> {
  readonly type: 'changed';
  readonly record: MigrationIn<P>;
  /** The shards' records by which the step has decided. Left out: those of the step's view. */
  readonly shards?: MigrationView['shards'];
}

/** Nothing to do for now. */
export interface Waiting {
  readonly type: 'waiting';
  /** come back after this long even if nothing wakes the scheduler; undefined: wait to be woken */
  readonly wakeInMs?: number;
  /**
   * the scheduler may put the next step off for this long even if it is woken earlier, because no harm comes of that
   */
  readonly restMs?: number;
}

/**
 * The result of a phase's step: the migration stays in the phase, or leaves it by an exit of `migrationTransitions`.
 */
export type StepResult<P extends MigrationPhase = MigrationPhase> = Changed<P | NextPhase<P>> | Waiting;

/** The step of a phase. An exit that is not in `migrationTransitions` does not compile. */
export type PhaseStep<P extends MigrationPhase> = (
  context: StepContext,
  view: MigrationView<P>,
) => Promise<StepResult<P>>;

export const waiting: Waiting = { type: 'waiting' };

export function changed<P extends MigrationPhase>(
  record: MigrationIn<P>,
  shards?: MigrationView['shards'],
): Changed<P> {
  return { type: 'changed', record, ...(shards && { shards }) };
}
