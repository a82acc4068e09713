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

/** The ports and settings of clearing, which queues no jobs: it ends the shards itself, without a worker. */
export interface ClearContext extends Omit<
  CoordinatorContext,
  'jobs' | 'timing' | 'clusterUuid' | 'liveness' | 'blocks'
> {
  readonly timing: Pick<CoordinatorTiming, 'requestTimeoutMs' | 'guardMs'>;
}

export interface ClearOptions {
  /**
   * false: an abort does not wait for bulks that still run, and closes no snapshot. With either value clearing takes
   * the shards away from their workers, and after a swap it closes the snapshots.
   */
  readonly tryClose: boolean;
  /** false: the write block and the target's settings stay as the migration has left them. */
  readonly undo: boolean;
}

const pollMs = 200;

/**
 * The change that clearing writes into the record before anything else. A migration that runs is cancelled, with a note
 * that an administrator has cleared it. Without `undo` the record loses the write block, the target's original settings
 * and the files, so that no process that ends the migration undoes them.
 *
 * Unlike a cancel, clearing is also accepted while the swap is under way. Then the commit token decides whether the
 * clearing or the swap wins.
 * @returns undefined when there is nothing to write: the migration has ended, can only complete, or is marked already
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
 * Brings a migration to its end without any scheduler or worker, and gives its indices back. The order is that of an
 * abort: the commit token, the write block, then the rest. A migration whose swap has happened is completed. Schedulers
 * may do the same at the same time: every part is repeatable, and the record changes by compare-and-set.
 * @returns the ended record; undefined when there is no such migration
 * @throws ClusterError, or the signal's reason: the migration is on its way to its end then, and can be cleared again
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
    // Clearing never judges how long a block may last, or whose worker is dead: the schedulers do.
    timing: { ...context.timing, writeBlockMaxMs: Infinity, staleAfterMs: 0 },
  };
  // A step after the end would be `guard`, which closes snapshots. Without `tryClose` they stay open, so this loop
  // stops before that step.
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
      // The record has the note already, but perhaps only on a primary that is going to lose it, and then no record
      // would tell who ended the migration. So OpenSearch has to acknowledge the record.
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
 * Releases the claims and names that are left of a migration that has ended. `guard` also looks for a write block, so
 * it runs only during the guard time: later a block may be the user's own.
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
