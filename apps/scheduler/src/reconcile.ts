import type { MigrationRecord } from '@aosc/contract';
import {
  findRefusal,
  isAbortingPhase,
  isBlockedPhase,
  isTerminalPhase,
  isVerifying,
  shownWaiting,
} from '@aosc/domain';
import { RedisSilentError } from '@aosc/queue';
import { startTicks, timeLimit } from '@aosc/signals';
import type { Metrics } from '@aosc/telemetry';
import { createMigrationRunner, type DirectDriveOptions } from './migration-runner';

/** A guarded migration that has ended is looked at this often. */
const mostGuardEveryMs = 10_000;
/** And at least this many times in all, so that a guard of a few seconds looks more than once. */
const looksOfGuard = 4;
/** Migrations driven to their end at once while Redis is away. */
const maxDrives = 8;
/**
 * An abort that may not read `_tasks` waits out the time of one request, and sends other requests before and after it.
 */
const requestsOfDrive = 4;
/** A node that gives no answer must not keep applications waiting for the next try. */
const swapLimits = { firstLimitMs: 5000, maxLimitMs: 10_000 };

/** The look at the data nodes goes before the wake-ups: a node that gives no answer must not hold them up. */
const nodesLimitMs = 2000;

/**
 * The safety net, a process timer: Redis may lose every job, and no event is ever the only trigger. Each tick wakes
 * every running migration (which puts lost shard jobs back) and writes the permits again. No bound depends on its pace:
 * Redis may hold it up.
 */
// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function startReconciler(options: DirectDriveOptions, signal: AbortSignal): { stop(): void } {
  const { cluster, queues, installation, logger, metrics, requestTimeoutMs, isUrgent, driven } = options;
  const guardEveryMs = Math.min(mostGuardEveryMs, options.guardMs / looksOfGuard);
  const guarded = new Map<string, number>();
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const limits = {
    max: maxDrives,
    firstLimitMs: requestTimeoutMs,
    maxLimitMs: requestTimeoutMs * requestsOfDrive,
  };
  const ends = createMigrationRunner({ drive: options.drive, driven, logger, ...limits }, ending);
  // A runner of their own: the lifter of overdue blocks waits for none of them, and the commit token decides between
  // the two.
  const swaps = createMigrationRunner(
    {
      drive: options.driveToSwap,
      driven: new Set(),
      logger,
      max: maxDrives,
      ...swapLimits,
      // After the swap the other runners take over.
      isDone: (record) => isUrgent(record) || !isBeforeSwap(record),
    },
    ending,
  );

  const warn = (what: string, error: unknown): void => {
    if (ending.aborted) return;
    logger.warn(`${what} could not be checked, trying again`, { event: 'reconcile_failed', error });
  };

  /**
   * Redis being away must not hold up the rest.
   * @param silence Redis has given no answer in this tick, so it is not asked again
   * @returns the same for the next attempt
   */
  const attempt = async (
    what: string,
    run: () => Promise<void>,
    silence?: RedisSilentError,
  ): Promise<RedisSilentError | undefined> => {
    const error = silence ?? (await errorOf(run()));
    if (error !== undefined) warn(what, error);
    return error instanceof RedisSilentError ? error : undefined;
  };

  /**
   * One migration's trouble must not keep the others from being woken. But a Redis that gives no answer would cost its
   * time-out for each of them.
   * @returns the migrations that were not woken
   */
  const wake = async (
    records: readonly MigrationRecord[],
    silent: RedisSilentError | undefined,
  ): Promise<readonly MigrationRecord[]> => {
    const asleep: MigrationRecord[] = [];
    let first: unknown;
    let silence = silent;
    for (const record of records) {
      if (ending.aborted) break;
      const error = silence ?? (await errorOf(queues.wakeMigration(record.key)));
      if (error === undefined) continue;
      asleep.push(record);
      first ??= error;
      if (error instanceof RedisSilentError) silence = error;
    }
    if (asleep.length > 0) warn(`${asleep.length} of ${records.length} migrations`, first);
    return asleep;
  };

  /** Running migrations, and ended ones whose guard is due. */
  const isDue = (record: MigrationRecord): boolean => {
    if (!isTerminalPhase(record.phase)) return true;
    const last = guarded.get(record.key) ?? -Infinity;
    if (performance.now() - last < guardEveryMs) return false;
    guarded.set(record.key, performance.now());
    return true;
  };

  const tick = async (): Promise<void> => {
    if (!installation.isRightCluster || installation.state.type === 'refused') return;
    const active = (await cluster.store.listActive({ signal: ending })).map(({ record }) => record);
    count(active, metrics);
    // Goes before the migrations: their jobs move from the queues of nodes that are gone.
    let silence = await attempt('the nodes', async () =>
      queues.backfills.keepNodes(await cluster.ports.dataNodes({ signal: timeLimit(nodesLimitMs, ending) })),
    );
    silence = await attempt('the permits', () => queues.backfills.applyPermits(), silence);
    const asleep = await wake(active.filter(isDue), silence);
    if (asleep.length === 0 && !ending.aborted) metrics.setReconciled(Date.now() / 1000);
    const left = asleep.filter((record) => !isUrgent(record));
    ends.begin(left.filter(endsAlone));
    swaps.begin(left.filter(isBeforeSwap));
    for (const key of guarded.keys()) {
      if (!active.some((record) => record.key === key)) guarded.delete(key);
    }
    // Goes last: its trouble must not hold up a migration.
    const ensureVerifyJobs = async (): Promise<void> => {
      for (const key of await cluster.store.listVerifying({ signal: ending }))
        await queues.ensureVerifyJob(key);
    };
    if (silence === undefined) await attempt('the verifications', ensureVerifyJobs);
  };

  const ticks = startTicks(options.intervalMs, tick, (error) => warn('the running migrations', error));
  return {
    stop() {
      ticks.stop();
      stopping.abort(new Error('the process is shutting down'));
    },
  };
}

/** An abort, what follows the swap, and the guard after the end need neither jobs nor workers: they go on without Redis. */
function endsAlone({ phase, committed }: MigrationRecord): boolean {
  return committed || isAbortingPhase(phase) || isTerminalPhase(phase);
}

/**
 * Nor does the way to the swap need Redis, when the last rounds are over and applications wait for it. Where last
 * rounds are missing, their jobs wait for Redis.
 */
function isBeforeSwap({ phase, committed }: MigrationRecord): boolean {
  return isBlockedPhase(phase) && !committed;
}

function count(
  records: readonly MigrationRecord[],
  metrics: Pick<Metrics, 'setMigrations' | 'setWaiting'>,
): void {
  const phases: Record<string, number> = {};
  const waiting: Record<string, number> = {};
  for (const record of records) {
    const { phase } = record;
    if (isTerminalPhase(phase)) continue;
    phases[phase] = (phases[phase] ?? 0) + 1;
    const wait = shownWaiting(record);
    if (wait !== undefined && !isVerifying(wait)) waiting[wait.reason] = (waiting[wait.reason] ?? 0) + 1;
    if (findRefusal(record) !== undefined) waiting['refused'] = (waiting['refused'] ?? 0) + 1;
  }
  metrics.setMigrations(phases);
  metrics.setWaiting(waiting);
}

async function errorOf(work: Promise<void>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error;
  }
}
