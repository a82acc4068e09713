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
  /** for how long after a migration's end the guard looks for leftovers */
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
  /** left out: what was set aside stays */
  readonly refused?: Pick<RefusedStorePort, 'forgetAll'>;
  readonly jobs: JobsPort;
  /** one for the process */
  readonly nodes: NodeWatch;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly timing: CoordinatorTiming;
  readonly metrics: CoordinatorMetrics;
  /** Gets what each look has read; must return at once. */
  readonly onLook?: (record: MigrationRecord, shards: readonly ShardRecord[]) => void;
  /** Called after each change of phase that was written; must return at once. */
  readonly onMoved?: (before: MigrationRecord, after: MigrationRecord) => void;
  /** left out: no traces */
  readonly trace?: TracePort;
  /** of this process, for as long as it lives */
  readonly blocks: BlockWatch;
  /** the present settings `aosc.cutover.*`; left out: writers are not held, and a pause has no bound of its own */
  readonly cutover?: (() => CutoverSettings) | undefined;
  /**
   * Whether to look at the target's settings while shards are copied: each progress of a shard leads to a step, and a
   * look at every step would be too often. A call counts as a look. Left out: look at each step.
   */
  readonly areSettingsDue?: (key: string) => boolean;
  /**
   * Since when every try at a migration's step has failed, by the migration's key; left out: the record does not show
   * trouble that may pass.
   */
  readonly troubles?: UnchangedWatch;
  /** undefined: other processes judge which workers are dead */
  readonly liveness: Liveness | undefined;
  /** An abort waits neither for bulks nor until snapshots are closed; left out: it waits for them. */
  readonly abortsAtOnce?: boolean;
  /** as this process knows it; undefined: the coordinator also drives records of another cluster, towards their end */
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
  /** the settings `aosc.liveness.*` and `aosc.backfill.max_concurrent_per_node` of the moment */
  readonly settings: () => {
    readonly checkIntervalMs: number;
    readonly timeoutMs: number;
    readonly permits: number;
  };
  /** Worker processes that take jobs. @throws when Redis does not tell */
  readonly countWorkers: () => Promise<number>;
  /** Called when a shard was taken from its owner. */
  readonly onOwnerLost: (how: 'silent' | 'stuck') => void;
}

/** The claims by which a start excludes others; a migration gives them back at its end. */
export interface ClaimsPort {
  releaseClaims(record: MigrationRecord, call: Call): Promise<void>;
  /** The running migration that has this index as its source or as its target. */
  findMigrationUsing(indexName: string, call: Call): Promise<MigrationRecord | undefined>;
  /** Migrations that run, and ended migrations that are still guarded. Read in real time. */
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

/** A record to be stored by compare-and-set. */
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
  /** the next step may wait for this long without a loss, even if other events wake the scheduler meanwhile */
  readonly restMs?: number;
}

/** What a step of a phase has come to: the migration stays there, or leaves by an exit of `migrationTransitions`. */
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
