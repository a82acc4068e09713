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
  /** the write block must not last longer than this, or the migration fails and writes flow again */
  readonly writeBlockMaxMs: number;
  /** for how long after a migration's end `guard` looks for what the migration has left in the cluster */
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
  /** one for the process: it measures by this process's own looks how long a node has been away */
  readonly nodes: NodeWatch;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly timing: CoordinatorTiming;
  readonly metrics: CoordinatorMetrics;
  /** Called with the records that each step has read. Must return at once, because the step waits for it. */
  readonly onLook?: (record: MigrationRecord, shards: readonly ShardRecord[]) => void;
  /** Called after each change of phase that was written; must return at once. */
  readonly onMoved?: (before: MigrationRecord, after: MigrationRecord) => void;
  /** left out: no traces */
  readonly trace?: TracePort;
  /** one for the process: it measures a block's age from the process's first sight of the block */
  readonly blocks: BlockWatch;
  /**
   * the present settings `aosc.cutover.*`; left out: writers are not held, and no setting bounds the pause of writes
   */
  readonly cutover?: (() => CutoverSettings) | undefined;
  /**
   * Whether ACTIVE is to look again for what would make the copy useless (changed settings, a moved alias). Each
   * progress of a shard leads to a step, and a look at every step would cost too much. A call that returns true starts
   * the time until the next look. Left out: look at each step.
   */
  readonly areSettingsDue?: (key: string) => boolean;
  /**
   * Measures for how long every try at a migration's step has failed, by the migration's key. Left out: the record
   * shows no error that may be gone at the next try.
   */
  readonly troubles?: UnchangedWatch;
  /** undefined: other processes judge which workers are dead */
  readonly liveness: Liveness | undefined;
  /** true: an abort leaves out the parts that wait: for bulks that still run, and for snapshots to be closed. */
  readonly abortsAtOnce?: boolean;
  /**
   * uuid of the cluster that this process works with; undefined: no check, because `clearMigration` brings a record of
   * another cluster to its end as well
   */
  readonly clusterUuid: string | undefined;
  /** Fires on shutdown and when the job's lock may be lost. */
  readonly signal: AbortSignal;
  /** @throws when this process can't be sure any more that it alone drives the migration; asked before each change */
  readonly assertMandate: () => void;
}

/** What a step talks through: the indices of its migration, each with its cluster. */
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
    // No uuid is known of a target that is still to be made.
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
  /** The shards' records by which the step has decided, if they are not the records that it was given. */
  readonly shards?: MigrationView['shards'];
}

/** Nothing to do for now. */
export interface Waiting {
  readonly type: 'waiting';
  /** come back after this long even if nothing wakes the scheduler; undefined: wait to be woken */
  readonly wakeInMs?: number;
  /**
   * the scheduler may put the next step off for this long, even if something wakes it earlier: nothing is lost by that
   */
  readonly restMs?: number;
}

/**
 * The result of a phase's step: the migration stays in the phase, or leaves it by an exit of `migrationTransitions`.
 */
export type StepResult<P extends MigrationPhase = MigrationPhase> = Changed<P | NextPhase<P>> | Waiting;

/** What is done in a phase. An exit that is not in `migrationTransitions` does not compile. */
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
