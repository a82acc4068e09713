import type { ShardJobKind } from '@aosc/domain';
import {
  coalesceIndexCalls,
  type Pacing,
  runShardJob,
  type ShardContext,
  type ShardMetrics,
  type ShardTiming,
} from '@aosc/engine';
import type { HandlerResult, JobSignals, Queues } from '@aosc/queue';
import { parseShardJob, shardJobName } from '@aosc/queue';
import { type Cluster, createEngineLog, systemClock } from '@aosc/runtime';
import type { Logger } from '@aosc/telemetry';
import { createBackfillPermit } from './backfill-permit';

export interface HandlerDependencies {
  readonly cluster: Cluster;
  readonly queues: Queues;
  readonly logger: Logger;
  readonly timing: ShardTiming;
  readonly metrics: ShardMetrics;
  readonly pacing: (migrationKey: string) => Pacing;
  /** of the process */
  readonly signal: AbortSignal;
}

export type ShardHandler = (payload: unknown, owner: string, signals: JobSignals) => Promise<HandlerResult>;

/** Makes the function that works on one kind of shard job. The node is the one whose permits a backfill asks for. */
export function createShardHandlers(
  dependencies: HandlerDependencies,
): (kind: ShardJobKind, nodeId?: string) => ShardHandler {
  const { cluster, queues, logger, timing, metrics, pacing } = dependencies;
  const source = coalesceIndexCalls(cluster.source, dependencies.signal);
  const permitOf = (nodeId: string, name: string) =>
    createBackfillPermit(
      {
        source,
        store: cluster.store,
        queues,
        staleAfterMs: timing.staleAfterMs,
        now: () => systemClock.now(),
        onQueueError: (error) => logger.warn('no permit without Redis', { event: 'queue_error', error }),
      },
      nodeId,
      name,
    );
  return (kind, nodeId) => async (payload, owner, signals) => {
    const { key, shard } = parseShardJob(payload);
    const migration = await cluster.store.readMigration(key, { signal: signals.stop });
    if (migration === undefined) return { type: 'done' };
    const { migrationId } = migration.record;
    const context: ShardContext = {
      source,
      target: cluster.target,
      admin: cluster.admin,
      store: cluster.store,
      clock: systemClock,
      log: createEngineLog(
        logger.child({ migration: migrationId, shard, phase: kind, role: 'shard_worker' }),
      ),
      timing,
      migration: migration.record,
      shard,
      ...(nodeId === undefined ? {} : { permit: permitOf(nodeId, shardJobName(key, shard)) }),
      pacing: pacing(key),
      metrics,
    };
    const wake = async (): Promise<void> => {
      try {
        await queues.wakeMigration(key);
      } catch (error) {
        logger.warn('the scheduler finds out by itself', {
          event: 'wake_failed',
          migration: migrationId,
          error,
        });
      }
    };
    return runShardJob(kind, context, owner, signals, wake);
  };
}
