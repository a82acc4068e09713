import { fencePrefix, isOpaqueIdOf, type MigrationIn, moveMigration } from '@aosc/domain';
import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { isIndexMissing } from '../../ports/cluster-error';
import { drainBulks } from '../../cluster/drain';
import { closeSnapshots } from '../cleanup/close-snapshots';
import { endShards } from '../cleanup/end-shards';
import { removeOurNames } from '../cleanup/remove-names';
import {
  type Changed,
  changed,
  type MigrationView,
  type PhaseStep,
  type StepContext,
  type Waiting,
  waiting,
} from '../step/context';
import { blockBeforeToken, decideAbort, mayBlockLate, nodesInDoubt } from './decide-abort';
import { takeToken } from '../cutover/commit-token';
import { isSourceBlocked } from '../write-block/late-block';
import { liftBlock, liftPollMs } from '../write-block/lift-block';
import { restoreTarget } from '../target-settings/restore-target';

type AbortingPhase = 'CANCELLING' | 'FAILING';

export const cancelling: PhaseStep<'CANCELLING'> = (context, view) =>
  abort(context, view, (record) => moveMigration(record, 'CANCELLED', context.clock.now()));

export const failing: PhaseStep<'FAILING'> = (context, view) =>
  abort(context, view, (record) => moveMigration(record, 'FAILED', context.clock.now()));

/**
 * CANCELLING and FAILING: first the token, so that no swap can happen any more; then the write block, because
 * applications wait for it; then everything else. Each part finds out by itself what is left to do.
 * @param end moves the record to the phase that the abort ends in
 */
async function abort<P extends AbortingPhase, End extends 'CANCELLED' | 'FAILED'>(
  context: StepContext,
  view: MigrationView<P>,
  end: (record: MigrationIn<P>) => MigrationIn<End>,
): Promise<Changed<P | 'COMPLETING' | End> | Waiting> {
  const { record } = view;
  const { clock } = context;
  const step = decideAbort(record);
  if (step.type === 'take_token') return takeTokenFirst(context, record);
  if (step.type === 'lift_block') return endBlock(context, record, step.block);
  if (await isBlockedAnew(context, record)) return { type: 'waiting', wakeInMs: liftPollMs };
  const stopped = await stopShards(context, view);
  if (!stopped) return waiting;
  const notRestored = await restoreTarget(context, record);
  return changed({
    ...end(record),
    ...(notRestored !== undefined && { notRestored }),
    guardUntilMillis: clock.now() + context.timing.guardMs,
  });
}

async function takeTokenFirst<P extends AbortingPhase>(
  context: StepContext,
  record: MigrationIn<P>,
): Promise<Changed<P | 'COMPLETING'> | Waiting> {
  try {
    const outcome = await takeTokenOfExistingTarget(context, record);
    if (outcome === 'taken') return changed({ ...record, tokenTaken: true });
  } catch (error) {
    const block = blockBeforeToken(record, error);
    if (block === undefined) throw error;
    return endBlock(context, record, block);
  }
  context.log.warn('abort_too_late', 'the alias had already been swapped: the migration completes');
  return changed({ ...moveMigration(record, 'COMPLETING', context.clock.now()), commitRequested: true });
}

async function endBlock<P extends AbortingPhase>(
  context: StepContext,
  record: MigrationIn<P>,
  block: WriteBlock,
): Promise<Changed<P> | Waiting> {
  if (!(await liftBlock(context, record))) return { type: 'waiting', wakeInMs: liftPollMs };
  context.metrics.writeBlockEnded((context.clock.now() - block.requestedAtMillis) / 1000);
  return changed({ ...record, writeBlock: { ...block, lifted: true } });
}

/**
 * A request for the block that was under way when it was lifted has landed since. What is left of the abort can wait
 * for minutes, and no other migration can have blocked the source yet.
 * @returns whether it could not be lifted again so far
 */
async function isBlockedAnew(context: StepContext, record: MigrationRecord): Promise<boolean> {
  if (!mayBlockLate(record) || !(await isSourceBlocked(context, record))) return false;
  context.log.warn('write_block_late', 'a write block landed after it had been lifted: lifting it again');
  return !(await liftBlock(context, record));
}

/** A target that is gone can't be swapped to: the token is as good as taken. */
async function takeTokenOfExistingTarget(
  context: StepContext,
  record: MigrationRecord,
): Promise<'taken' | 'committed'> {
  try {
    return await takeToken(context, record);
  } catch (error) {
    if (isIndexMissing(error)) return 'taken';
    throw error;
  }
}

/**
 * Takes every shard away from its worker, closes the fences, waits until no bulk of the migration runs, and
 * closes the snapshots. Needs no live worker.
 */
async function stopShards(context: StepContext, view: MigrationView): Promise<boolean> {
  const { record } = view;
  if (!(await endShards(context, view))) return false;
  await removeOurNames(context, record);
  const nodes = nodesInDoubt(view);
  await drainBulks(
    context,
    {
      matches: (opaqueId) => isOpaqueIdOf(opaqueId, record.key),
      isClosed: (aliases) => !aliases.some((alias) => alias.startsWith(fencePrefix(record.key))),
      nodes: () => nodes,
    },
    context.signal,
  );
  return closeSnapshots(context, record);
}
