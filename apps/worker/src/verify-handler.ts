import { hash } from 'node:crypto';
import {
  coalesceIndexCalls,
  type Pacing,
  type PrintRoom,
  runVerification,
  type ShardTiming,
} from '@aosc/engine';
import { type ConsumerOptions, parseVerifyJob } from '@aosc/queue';
import { type Cluster, createEngineLog, systemClock } from '@aosc/runtime';
import type { Logger, Metrics } from '@aosc/telemetry';

export interface VerifyDependencies {
  readonly cluster: Cluster;
  readonly logger: Logger;
  readonly timing: ShardTiming;
  readonly pacing: (migrationKey: string) => Pacing;
  /** the permits of each data node */
  readonly permits: () => number;
  readonly printRoom: PrintRoom;
  readonly metrics: Pick<Metrics, 'countVerified'>;
  /** of the process */
  readonly signal: AbortSignal;
}

/** Makes the function that works on the verification of a migration. */
export function createVerifyHandler(dependencies: VerifyDependencies): ConsumerOptions['handle'] {
  const { cluster, logger, timing, pacing, permits, printRoom, metrics } = dependencies;
  const indexOf = coalesceIndexCalls(cluster.ports, dependencies.signal);
  return async (payload, _owner, { stop, kill }) => {
    const { key } = parseVerifyJob(payload);
    const signal = AbortSignal.any([stop, kill]);
    const stored = await cluster.store.readMigration(key, { signal });
    if (stored === undefined) return { type: 'done' };
    const migration = stored.record;
    return runVerification(
      {
        source: indexOf(migration.sourceIndex),
        target: indexOf(migration.targetIndex),
        store: cluster.store,
        clock: systemClock,
        log: createEngineLog(logger.child({ migration: migration.migrationId, role: 'verifier' })),
        timing,
        migration,
        pacing: pacing(key).replay(),
        permits,
        printRoom,
        hashOf: (bytes) => hash('sha256', bytes, 'hex'),
        onDocuments: (count) => metrics.countVerified(count),
      },
      signal,
    );
  };
}
