import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { type ShardJobKind, workOpaqueId } from '@aosc/domain';
import {
  coalesceIndexCalls,
  type JobResult,
  type LogFields,
  type NodeWatch,
  type Pacing,
  type PrintMemory,
  runShardJob,
  type ShardContext,
  type ShardMetrics,
  type ShardTiming,
  type Stored,
  type StorePort,
} from '@aosc/engine';
import { type ConsumerOptions, parseShardJob, type Queues, shardJobName } from '@aosc/queue';
import { type Cluster, createEngineLog, systemClock } from '@aosc/runtime';
import { Cooldown } from '@aosc/signals';
import type { Logger, Traces } from '@aosc/telemetry';
import { createBackfillPermits } from './backfill-permit';
import { LastArrival } from './last-arrival';

/**
 * For so many beats this process leaves a lost shard to other workers: what made it hang is likely to make it hang
 * again, and the process that ends a job is the first to ask for the next.
 */
const cooldownBeats = 30;
/** A job that ends wakes the scheduler, and the next job may come before this one is gone. */
const runningDelayMs = 100;
/** From a second on a job waits in the queue, where another worker can take it. */
const cooldownDelayMs = 1000;

export interface HandlerDependencies {
  readonly cluster: Cluster;
  readonly queues: Queues;
  readonly logger: Logger;
  readonly timing: ShardTiming;
  readonly metrics: ShardMetrics;
  readonly traces: Traces;
  readonly pacing: (migrationKey: string) => Pacing;
  readonly printMemory: PrintMemory;
  readonly nodes: NodeWatch;
  /** host and process id */
  readonly process: string;
  /** of the process */
  readonly signal: AbortSignal;
}

/** Makes the function that works on one kind of shard job. The node is the one whose permits a backfill asks for. */
export function createShardHandlers(
  dependencies: HandlerDependencies,
): (kind: ShardJobKind, nodeId?: string) => ConsumerOptions['handle'] {
  const { cluster, queues, logger, timing, metrics, traces, pacing, printMemory } = dependencies;
  const indexOf = coalesceIndexCalls(cluster.ports, dependencies.signal);
  const { store } = cluster;
  const permitOf = createBackfillPermits({
    indexOf,
    store,
    queues,
    staleAfterMs: timing.staleAfterMs,
    now: () => systemClock.now(),
    onQueueError: (error) => logger.warn('no permit without Redis', { event: 'queue_error', error }),
    signal: dependencies.signal,
  });
  const lastRounds = new LastArrival();
  const running = new Set<string>();
  const cooldown = new Cooldown(() => systemClock.monotonic());
  return (kind, nodeId) => async (payload, owner, signals) => {
    const { key, shard } = parseShardJob(payload);
    const name = shardJobName(key, shard);
    // A second job for a shard that this process still works on: the scheduler has found that the process hangs, and
    // the process may not know it yet.
    if (kind !== 'catch_up' && running.has(name)) return { type: 'again', delayMs: runningDelayMs };
    if (kind !== 'catch_up' && cooldown.left(name) > 0) return { type: 'again', delayMs: cooldownDelayMs };
    const { migration, known } = await readTogether(store, dependencies.nodes, { key, shard }, signals.stop);
    if (migration === undefined) return { type: 'done' };
    const { migrationId, sourceIndex, targetIndex } = migration.record;
    const context: ShardContext = {
      source: indexOf(sourceIndex),
      target: indexOf(targetIndex),
      store,
      refused: cluster.refused,
      clock: systemClock,
      log: createEngineLog(
        logger.child({ migration: migrationId, shard, phase: kind, role: 'shard_worker' }),
      ),
      timing,
      migration: migration.record,
      shard,
      ...(known && { known }),
      process: dependencies.process,
      ...(nodeId === undefined ? {} : { permit: permitOf(nodeId, name) }),
      pacing: pacing(key),
      printMemory,
      nodes: dependencies.nodes,
      metrics,
      trace: traces,
    };
    const wake = createWake(dependencies, migration.record);
    const lastRound = kind === 'catch_up' ? lastRounds.join(key, wake) : undefined;
    const ended = { isReported: false };
    // The scheduler hears of a failure at once.
    const onProgress = async (phase: ShardRecord['phase']): Promise<void> => {
      if (phase !== 'COMPLETING' || lastRound === undefined) await wake();
      else ended.isReported = await lastRound.arrive();
    };
    running.add(name);
    try {
      const opaqueId = workOpaqueId('worker', key, { shard, kind });
      const result = await traces.work(
        { name: `job ${kind}`, opaqueId, fields: { shard, job: kind, phase: migration.record.phase } },
        migration.record,
        () => runShardJob(kind, context, owner, signals, onProgress),
        describeResult,
      );
      if (result.type === 'done' && result.lost) cooldown.begin(name, cooldownBeats * timing.heartbeatMs);
      // Only the last job to arrive reports: with a report from each, the scheduler would look 32 times under the
      // write block.
      return result.type === 'done' && result.lost !== true ? { ...result, ...ended } : result;
    } finally {
      running.delete(name);
      await lastRound?.leave();
    }
  };
}

/** The function returns whether the message got through. */
function createWake(
  { queues, logger }: Pick<HandlerDependencies, 'queues' | 'logger'>,
  { key, migrationId }: MigrationRecord,
): () => Promise<boolean> {
  return async () => {
    try {
      await queues.wakeMigration(key);
      return true;
    } catch (error) {
      logger.warn('the scheduler finds it out', {
        event: 'wake_failed',
        migration: migrationId,
        error,
      });
      return false;
    }
  };
}

/**
 * Runs all reads side by side: under the write block applications wait for each request that follows another. So the
 * claim may see the members as they were a moment ago.
 */
async function readTogether(
  store: Pick<StorePort, 'readMigration' | 'readShard'>,
  nodes: NodeWatch,
  { key, shard }: Pick<ReturnType<typeof parseShardJob>, 'key' | 'shard'>,
  signal: AbortSignal,
): Promise<{
  readonly migration: Stored<MigrationRecord> | undefined;
  readonly known: Stored<ShardRecord> | undefined;
}> {
  const call = { signal };
  const [migration, known] = await Promise.all([
    store.readMigration(key, call),
    store.readShard(key, shard, call),
    nodes.members([], call),
  ]);
  return { migration, known };
}

function describeResult(result: JobResult): LogFields {
  if (result.type === 'again') return { outcome: 'again', delayMs: Math.round(result.delayMs) };
  return { outcome: result.lost === true ? 'lost' : 'done' };
}
