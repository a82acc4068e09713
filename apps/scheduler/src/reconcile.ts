import type { MigrationRecord } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import type { Queues } from '@aosc/queue';
import type { Cluster, InstallationWatch } from '@aosc/runtime';
import type { Logger, Metrics } from '@aosc/telemetry';

/** A migration that has ended is looked at this often while it is guarded. */
const mostGuardEveryMs = 10_000;
/** And at least this often in all: a guard of a few seconds looks again as well. */
const looksOfGuard = 4;

export interface Reconciler {
  stop(): void;
}

/**
 * The safety net, a process timer: Redis may lose every job, and no event is ever the only trigger. Each tick has
 * every running migration driven on (which puts lost shard jobs back) and writes the permits again.
 */
export function startReconciler(
  options: {
    readonly cluster: Cluster;
    readonly queues: Queues;
    readonly installation: Pick<InstallationWatch, 'state' | 'isRightCluster'>;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly intervalMs: number;
    readonly writeBlockMaxMs: number;
    readonly guardMs: number;
    /** drives a migration on in this process, without a job */
    readonly drive: (record: MigrationRecord) => Promise<void>;
  },
  signal: AbortSignal,
): Reconciler {
  const { cluster, queues, installation, logger, metrics, intervalMs, writeBlockMaxMs, drive } = options;
  const guardEveryMs = Math.min(mostGuardEveryMs, options.guardMs / looksOfGuard);
  const guarded = new Map<string, number>();

  /** One migration's trouble, or Redis being away, must not keep the others from being looked after. */
  const attempt = async (what: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      logger.warn(`${what} could not be looked after, trying again`, { event: 'reconcile_failed', error });
    }
  };

  /** The dead man's rule needs OpenSearch alone: Redis may be away, or the queue paused by somebody. */
  const liftOverdueBlocks = async (records: readonly MigrationRecord[]): Promise<void> => {
    for (const record of records) {
      if (isUrgent(record, writeBlockMaxMs)) await attempt(record.migrationId, () => drive(record));
    }
  };

  const tick = async (): Promise<void> => {
    // The records of another cluster are not ours to drive, not even to lift a block.
    if (!installation.isRightCluster) return;
    const active = await cluster.store.listActive({ signal });
    const phases: Record<string, number> = {};
    const waiting: Record<string, number> = {};
    await liftOverdueBlocks(active.map(({ record }) => record));
    if (installation.state.type === 'refused') return;
    // Before the migrations: their jobs move from the queues of nodes that are gone.
    await attempt('the nodes', async () =>
      queues.backfills.keepNodes(await cluster.admin.dataNodes({ signal })),
    );
    await attempt('the permits', () => queues.backfills.applyPermits());
    for (const { record } of active) {
      if (isTerminalPhase(record.phase)) {
        const last = guarded.get(record.key) ?? -Infinity;
        if (performance.now() - last < guardEveryMs) continue;
        guarded.set(record.key, performance.now());
      } else {
        phases[record.phase] = (phases[record.phase] ?? 0) + 1;
        const reason = record.waitingFor?.reason;
        if (reason !== undefined) waiting[reason] = (waiting[reason] ?? 0) + 1;
      }
      await attempt(record.migrationId, () => queues.wakeMigration(record.key));
    }
    metrics.setMigrations(phases);
    metrics.setWaiting(waiting);
    for (const key of guarded.keys()) {
      if (!active.some(({ record }) => record.key === key)) guarded.delete(key);
    }
  };

  let ticking = false;
  const timer = setInterval(() => {
    if (ticking) return;
    ticking = true;
    tick()
      .catch((error: unknown) => {
        logger.warn('the running migrations could not be looked after, trying again', {
          event: 'reconcile_failed',
          error,
        });
      })
      .finally(() => (ticking = false));
  }, intervalMs);
  return { stop: () => clearInterval(timer) };
}

/** A write block of ours is on for too long, or an abort has not lifted it yet. */
function isUrgent({ writeBlock, committed, phase }: MigrationRecord, writeBlockMaxMs: number): boolean {
  if (writeBlock === undefined || writeBlock.lifted || writeBlock.usersOwn || committed) return false;
  if (phase === 'CANCELLING' || phase === 'FAILING') return true;
  return Date.now() - writeBlock.requestedAtMillis > writeBlockMaxMs;
}
