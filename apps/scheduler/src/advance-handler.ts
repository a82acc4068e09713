import { type MigrationRecord, NewerVersionError, type ShardRecord } from '@aosc/contract';
import { workOpaqueId } from '@aosc/domain';
import {
  advanceMigration,
  type AdvanceOptions,
  type AdvanceResult,
  type CoordinatorContext,
  instead,
  isClusterError,
  liftWithoutRecord,
  type Stored,
  type UnwrittenLift,
} from '@aosc/engine';
import { type HandlerResult, type JobSignals, LockLostError, parseAdvanceJob } from '@aosc/queue';
import { type Cluster, createEngineLog, systemClock, logSeldom } from '@aosc/runtime';
import { Cooldown, type Mandate, timeLimit } from '@aosc/signals';
import type { Logger, Metrics, Traces } from '@aosc/telemetry';
import type { BlockMemory } from './block-memory';
import type { ProgressFigures } from './progress-figures';
import type { TimelineWriter } from './timeline-writer';

/** What is handed to the engine as it is. */
type Given = 'nodes' | 'timing' | 'liveness' | 'blocks' | 'cutover' | 'troubles' | 'areSettingsDue';

export interface AdvanceDependencies extends Pick<CoordinatorContext, Given> {
  readonly cluster: Cluster;
  readonly queues: CoordinatorContext['jobs'];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  /** Notes each record that is driven. */
  readonly remembered: Pick<BlockMemory, 'note' | 'find'>;
  readonly timelines: TimelineWriter;
  readonly progress: Pick<ProgressFigures, 'note'>;
  /** Asks for another look at the migration after a while. */
  readonly wakeLater: (key: string, delayMs: number) => void;
}

/** Drives a migration as far as it goes now, or as far as `options` say. */
export async function driveMigration(
  dependencies: Omit<AdvanceDependencies, 'wakeLater'>,
  record: MigrationRecord,
  mandate: Mandate,
  options: AdvanceOptions = {},
): Promise<AdvanceResult> {
  const { key, phase } = record;
  return dependencies.traces.work(
    { name: 'advance', opaqueId: workOpaqueId('scheduler', key), fields: { phase } },
    record,
    () => advanceMigration(contextOf(dependencies, record, mandate), key, options),
  );
}

/** Lifts the block of a migration whose record can't be written: see `liftWithoutRecord`. */
export function liftBlockWithoutRecord(
  dependencies: Omit<AdvanceDependencies, 'wakeLater'>,
  record: MigrationRecord,
  mandate: Mandate,
  limitMs: number,
): Promise<UnwrittenLift> {
  const { traces, cluster } = dependencies;
  const { key, phase } = record;
  return traces.work(
    { name: 'lift block', opaqueId: workOpaqueId('scheduler', key), fields: { phase } },
    record,
    () =>
      liftWithoutRecord(contextOf(dependencies, record, mandate), record, async () => {
        // The block gets what is left of the time.
        const call = { signal: timeLimit(limitMs / 2, mandate.signal) };
        return (await cluster.store.readMigration(key, call))?.record;
      }),
    (outcome) => ({ outcome }),
  );
}

function contextOf(
  dependencies: Omit<AdvanceDependencies, 'wakeLater'>,
  { migrationId }: Pick<MigrationRecord, 'migrationId'>,
  { signal, assertMandate }: Mandate,
): CoordinatorContext {
  const { cluster, queues, logger, metrics, traces, remembered, timelines, progress, ...given } =
    dependencies;
  return {
    ...given,
    cluster: cluster.ports,
    store: cluster.store,
    refused: cluster.refused,
    jobs: queues,
    clock: systemClock,
    log: createEngineLog(logger.child({ migration: migrationId, role: 'coordinator' })),
    metrics: {
      writeBlockEnded: (seconds) => metrics.observeWriteBlock(seconds),
      migrationEnded: (phase) => metrics.countMigrationEnded(phase),
    },
    onLook: (record, shards) => {
      remembered.note(record);
      timelines.note(record, shards);
      progress.note(record, shards);
    },
    onMoved: (before, after) => traces.moved(before, after),
    trace: traces,
    clusterUuid: cluster.clusterUuid,
    signal,
    assertMandate,
  };
}

/** Makes the function that works on an advance job. */
export function createAdvanceHandler(
  dependencies: AdvanceDependencies,
): (payload: unknown, owner: string, signals: JobSignals) => Promise<HandlerResult> {
  const { logger, wakeLater } = dependencies;
  // All wake-ups during a migration's rest share the next look at it.
  const rests = new Cooldown(() => systemClock.monotonic());
  const complain = complainSeldom(logger);
  return async (payload, _owner, signals) => {
    const { key } = parseAdvanceJob(payload);
    const restMs = rests.left(key);
    if (restMs > 0) {
      wakeLater(key, restMs);
      return { type: 'done' };
    }
    const signal = AbortSignal.any([signals.stop, signals.kill]);
    const assertMandate = (): void => {
      signals.assertInTime();
      signal.throwIfAborted();
    };
    let names: Names = {};
    try {
      const [stored, knownShards] = await readTogether(dependencies, key, signal);
      if (stored === undefined) return { type: 'done' };
      const { migrationId, sourceIndex, targetIndex } = stored.record;
      names = { migration: migrationId, sourceIndex, targetIndex };
      const { wakeInMs, restMs: nextRestMs = 0 } = await driveMigration(
        dependencies,
        stored.record,
        { signal, assertMandate },
        { known: stored, knownShards },
      );
      rests.begin(key, nextRestMs);
      if (wakeInMs !== undefined) wakeLater(key, wakeInMs);
    } catch (error) {
      // A record of a later version waits for a process that can read it.
      if (signal.aborted || error instanceof LockLostError || error instanceof NewerVersionError) throw error;
      // The reconcile tick comes back to it. The trouble is logged all the same, so that operators see it.
      complain(error, key, names);
      wakeLater(key, 1000);
    }
    return { type: 'done' };
  };
}

type Names = Partial<Pick<MigrationRecord, 'sourceIndex' | 'targetIndex'>> & { readonly migration?: string };

/** Migrations whose failures have pauses of their own in the log. */
const maxFailures = 1_000;

/** A migration that can't be driven on is tried again each second, so its log lines come after pauses that grow. */
function complainSeldom(logger: AdvanceDependencies['logger']) {
  let about: Names = {};
  const complain = logSeldom(
    (error, silent) =>
      logger.warn('the migration could not be driven on, trying again', {
        event: 'job_failed',
        ...about,
        timesBefore: silent,
        error,
      }),
    () => systemClock.monotonic(),
    maxFailures,
  );
  return (error: unknown, key: string, names: Names): void => {
    about = names;
    complain(error instanceof Error ? error : new Error(String(error)), key);
  };
}

/**
 * Applications wait while the last rounds run, and then for this look: it is one request, not two in a row. The look
 * before says which shards there are to read. Each step itself reads the shards that can't be read ahead.
 */
async function readTogether(
  { cluster, remembered }: Pick<AdvanceDependencies, 'cluster' | 'remembered'>,
  key: string,
  signal: AbortSignal,
): Promise<readonly [Stored<MigrationRecord> | undefined, readonly Stored<ShardRecord>[] | undefined]> {
  const { store } = cluster;
  const before = remembered.find(key);
  return Promise.all([
    store.readMigration(key, { signal }),
    before?.phase === 'CATCHING_UP'
      ? store.readShards(key, before.sourceShardCount, { signal }).catch(instead(undefined, isClusterError))
      : undefined,
  ]);
}
