import { hash } from 'node:crypto';
import { coalesceIndexCalls, runVerification } from '@aosc/engine';
import { type ConsumerOptions, parseVerifyJob } from '@aosc/queue';
import { createEngineLog, systemClock } from '@aosc/runtime';
import type { Metrics } from '@aosc/telemetry';
import type { HandlerDependencies } from './shard-handler';

export interface VerifyDependencies extends Pick<
  HandlerDependencies,
  'cluster' | 'logger' | 'timing' | 'pacing' | 'printMemory' | 'signal'
> {
  /** the permits of each data node */
  readonly permits: () => number;
  readonly metrics: Pick<Metrics, 'countVerified'>;
}

/** Makes the function that works on the verification of a migration. */
export function createVerifyHandler(dependencies: VerifyDependencies): ConsumerOptions['handle'] {
  const { cluster, logger, timing, pacing, permits, printMemory, metrics } = dependencies;
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
        printMemory,
        hashOf: (bytes) => hash('sha256', bytes, 'hex'),
        onDocuments: (count) => metrics.countVerified(count),
      },
      signal,
    );
  };
}
