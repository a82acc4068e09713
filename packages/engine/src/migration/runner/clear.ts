import type { MigrationRecord } from '@aosc/contract';
import { isTerminalPhase, mayMove, moveMigration, wasCleared } from '@aosc/domain';
import { compareAndSet } from '../../ports/compare-and-set';
import { closeSnapshots } from '../cleanup/close-listed';
import { endShards } from '../cleanup/end-shards';
import { removeOurNames } from '../cleanup/remove-names';
import { BlockWatch } from '../step/block-watch';
import {
  bindIndices,
  type CoordinatorContext,
  type CoordinatorTiming,
  type MigrationView,
  type StepContext,
} from '../step/context';
import { advanceMigration } from './coordinator';
import { guard } from '../phases/guard';

/** The ports and settings of clearing. Clearing queues no jobs, because it ends the shards itself, without a worker. */
export interface ClearContext extends Omit<
  CoordinatorContext,
  'jobs' | 'timing' | 'clusterUuid' | 'liveness' | 'blocks'
> {
  readonly timing: Pick<CoordinatorTiming, 'requestTimeoutMs' | 'guardMs'>;
}

export interface ClearOptions {
  /**
   * false: an abort waits neither for a write block that has landed late nor for bulks that still run, and closes no
   * snapshot. With either value clearing takes the shards away from their workers, and after a swap it closes the
   * snapshots.
   */
  readonly tryClose: boolean;
  /** false: the write block, the target's settings and a target made of files stay as the migration has left them */
  readonly undo: boolean;
}

const pollMs = 200;

/**
 * The change that clearing writes into the record before it does anything else. It cancels a migration that runs, with
 * a note that an administrator has cleared it. Without `undo` it takes the write block, the target's original settings
 * and the files out of the record, so that no process that ends the migration undoes them.
 *
 * The service accepts a clearing, unlike a cancel, also while the swap is under way. Then the commit token decides
 * whether the clearing or the swap wins.
 * @returns undefined when there is nothing to write: the migration has ended, the swap has happened, or the record has
 *   the note already
 */
export function decideClear(
  record: MigrationRecord,
  { undo }: Pick<ClearOptions, 'undo'>,
  nowMillis: number,
): MigrationRecord | undefined {
  if (isTerminalPhase(record.phase) || record.committed) return undefined;
  const { writeBlock, targetOriginals, files, ...bare } = record;
  const forgets = !undo && [writeBlock, targetOriginals, files].some((each) => each !== undefined);
  const aborts = !mayMove(record, 'CANCELLING');
  if (aborts && wasCleared(record) && !forgets) return undefined;
  const kept = forgets ? bare : record;
  const moved = mayMove(kept, 'CANCELLING') ? moveMigration(kept, 'CANCELLING', nowMillis) : kept;
  const clearings = [...(record.clearings ?? []), { undone: !forgets }];
  return { ...moved, lastUpdatedMillis: nowMillis, clearings };
}

/**
 * Brings a migration to its end without any scheduler or worker, and releases its indices. The order is that of an
 * abort: the commit token, the write block, then the rest. If the swap has happened, the migration completes.
 * Schedulers may do the same at the same time, because every part is repeatable, and the record changes by
 * compare-and-set.
 * @returns the ended record; undefined when there is no such migration
 * @throws ClusterError, or the signal's reason: the caller can clear the migration again
 */
export async function clearMigration(
  context: ClearContext,
  key: string,
  options: ClearOptions,
): Promise<MigrationRecord | undefined> {
  const { clock, signal } = context;
  const coordinator: CoordinatorContext = {
    ...context,
    jobs: {
      ensureShardJobs: () => Promise.resolve(),
      hurryReplays: () => Promise.resolve(),
      ensureVerifyJob: () => Promise.resolve(),
      replaceShardJob: () => Promise.resolve(),
      dropShardJobs: () => Promise.resolve(),
    },
    clusterUuid: undefined,
    abortsAtOnce: !options.tryClose,
    liveness: undefined,
    blocks: new BlockWatch(clock),
    // Only schedulers judge how long a block may last, and which workers are dead.
    timing: { ...context.timing, writeBlockMaxMs: Infinity, staleAfterMs: 0 },
  };
  // The step after the end is `guard`, which tries to close snapshots. Without `tryClose` the loop stops before that
  // step.
  const isDone = ({ phase }: MigrationRecord): boolean => !options.tryClose && isTerminalPhase(phase);
  await mark(context, key, options);
  for (;;) {
    const view = await readView(context, key);
    if (view === undefined) return undefined;
    const bound = bindIndices(coordinator, view.record);
    if (isTerminalPhase(view.record.phase)) {
      await releaseClaims(bound, view, options);
      return view.record;
    }
    // After the swap the shards have nothing left but their snapshots, and closing those needs no worker.
    if (view.record.committed && (await endShards(bound, view))) await closeSnapshots(bound, view.record);
    await advanceMigration(coordinator, key, { isDone });
    await clock.sleep(pollMs, signal);
  }
}

async function mark({ store, clock, signal, onMoved }: ClearContext, key: string, options: ClearOptions) {
  await compareAndSet(async () => {
    const stored = await store.readMigration(key, { signal });
    if (stored === undefined) return { result: undefined };
    const marked = decideClear(stored.record, options, clock.now());
    if (marked === undefined) {
      const { phase, committed } = stored.record;
      if (isTerminalPhase(phase) || committed) return { result: stored };
      // The record has the note already, but a primary that is cut off may show a note that it is going to lose. So
      // OpenSearch has to acknowledge the record.
      return { write: () => store.confirmMigration(stored, { signal }) };
    }
    return {
      write: async () => {
        const written = await store.replaceMigration(stored, marked, { signal });
        onMoved?.(stored.record, marked);
        return written;
      },
    };
  });
}

async function readView(
  { store, signal }: Pick<ClearContext, 'store' | 'signal'>,
  key: string,
): Promise<MigrationView | undefined> {
  const stored = await store.readMigration(key, { signal });
  if (stored === undefined) return undefined;
  const shards = await store.readShards(key, stored.record.sourceShardCount, { signal });
  return { stored, record: stored.record, shards };
}

/**
 * Releases the claims of a migration that has ended, and removes its names. During the guard time `guard` does that.
 * After that time `guard` must not run, because it also lifts a write block, which may be the user's own by then.
 */
async function releaseClaims(
  context: StepContext,
  view: MigrationView,
  { undo }: ClearOptions,
): Promise<void> {
  const { record } = view;
  if (undo && (record.guardUntilMillis ?? 0) >= context.clock.now()) {
    await guard(context, view);
    return;
  }
  await context.store.releaseClaims(record, { signal: context.signal });
  await removeOurNames(context, record);
}
