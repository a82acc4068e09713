import type { ControllerType, MigrationRecord, ShardFlow, ShardRecord } from '@aosc/contract';
import type { BulkController, ProcessBulks, PageSizer, ShardJobKind } from '@aosc/domain';
import type { Clock } from '../ports/clock';
import type { IndexPorts } from '../ports/index-ports';
import type { LogPort } from '../ports/log-port';
import type { Permit } from '../ports/permit-port';
import type { RefusedStorePort, Stored, StorePort } from '../ports/store-port';
import type { TracePort } from '../ports/trace-port';
import type { NodeWatch } from '../cluster/node-watch';
import type { PrintMemory } from './print-memory';

/** Times that bound the work on one shard, all in milliseconds. */
export interface ShardTiming {
  readonly heartbeatMs: number;
  /** after this long without a heartbeat of the owner another worker may take the shard over */
  readonly staleAfterMs: number;
  /**
   * before a takeover the new worker watches the record for this long (several heartbeats), and takes over only if it
   * does not change
   */
  readonly confirmMs: number;
  readonly snapshotKeepAliveMs: number;
  readonly requestTimeoutMs: number;
  /**
   * least time between two rounds of one shard: each round refreshes the primary, and reads statistics of the whole
   * index
   */
  readonly replayIntervalMs: number;
  /**
   * the longest rest of a converged shard between two looks; at `replayIntervalMs` or less, a single new operation
   * leads to a round
   */
  readonly convergedRestMs: number;
  /** a replay job ends after this long and goes back into the queue, so that other shards get the worker's slot */
  readonly sliceMs: number;
}

/** How one shard's writes and reads are paced. Each job makes its own. */
export interface ShardPacing {
  readonly controller: BulkController;
  /** the setting that the controller follows */
  readonly controllerType: () => ControllerType;
  readonly pages: PageSizer;
  /** the setting `aosc.backfill.read.page_size`, read for each page */
  readonly pageSizeLimit: () => number;
  /** the bulks of all shards of the process; left out: the controller learns only from the job's own bulks */
  readonly processBulks?: ProcessBulks;
}

/** Makes the controllers of a job, by its kind. The job makes them when it needs them. */
export type Pacing = Readonly<Record<ShardJobKind, () => ShardPacing>>;

/** How a job ends. */
export type JobResult =
  /** `lost`: another process took the shard away while this one worked on it */
  | { readonly type: 'done'; readonly lost?: boolean }
  /** the queue runs the job again after the delay */
  | { readonly type: 'again'; readonly delayMs: number };

/** Everything the work on one shard needs; the processes build it, tests build it from parts. */
export interface ShardContext {
  readonly source: IndexPorts;
  readonly target: IndexPorts;
  readonly store: StorePort;
  /** left out: no document can be set aside */
  readonly refused?: RefusedStorePort;
  /** one for the process */
  readonly nodes: NodeWatch;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly timing: ShardTiming;
  readonly migration: MigrationRecord;
  readonly shard: number;
  /** The shard's record as the caller has just read it, which saves the claim a read. */
  readonly known?: Stored<ShardRecord>;
  /** host and process id, for people who ask which process has the shard */
  readonly process?: string;
  /** lets a backfill job read from one node; undefined: the job needs no permit, and reads from any node */
  readonly permit?: Permit;
  readonly pacing: Pacing;
  /** one for the process; left out: sweeps look each document up by its id */
  readonly printMemory?: PrintMemory;
  readonly metrics: ShardMetrics;
  /** left out: no traces */
  readonly trace?: TracePort;
}

/** Counters of the process; the record keeps the migration's own. */
export interface ShardMetrics {
  /** @param bytes of their sources */
  documentsCopied(count: number, bytes: number): void;
  /** The load that a job puts on the cluster now; undefined: the job has ended. */
  flowing(job: string, flow: (ShardFlow & { readonly work: 'backfill' | 'replay' }) | undefined): void;
  operationsReplayed(kind: 'upsert' | 'delete', count: number): void;
  /** a worker replaced an owner that showed no life */
  ownerLost(how: 'silent'): void;
  bulkSent(outcome: 'success' | 'overload' | 'transient' | 'too_large' | 'fatal'): void;
}
