import {
  fencePrefix,
  holdsWriters,
  isOpaqueIdOf,
  type MigrationIn,
  moveMigration,
  setsAside,
  withHoldGivenBack,
} from '@aosc/domain';
import { drainBulks } from '../../cluster/drain';
import { closeSnapshots } from '../cleanup/close-listed';
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
import { isLongUndone, isSourceBlocked } from '../write-block/late-block';
import { endBlock, liftBlock, liftPollMs } from '../write-block/lift-block';
import { giveBackHold } from '../write-block/write-hold';
import { giveUpTarget } from '../files/remove-target';

type AbortingPhase = 'CANCELLING' | 'FAILING';

export const cancelling: PhaseStep<'CANCELLING'> = (context, view) =>
  abort(context, view, (record) => moveMigration(record, 'CANCELLED', context.clock.now()));

export const failing: PhaseStep<'FAILING'> = (context, view) =>
  abort(context, view, (record) => moveMigration(record, 'FAILED', context.clock.now()));

/**
 * A part of an abort after the commit token is taken and the write block is lifted. Each part can be repeated, and
 * needs no live worker.
 */
interface UndoStep {
  /** @returns false: run it again */
  readonly run: (context: StepContext, view: MigrationView) => Promise<boolean>;
  /** The part waits for something outside this process. With `abortsAtOnce` the abort leaves it out. */
  readonly waits?: true;
  readonly wakeInMs?: number;
}

/** The order matters: only after `removeOurNames` has removed the fences can `drain` wait for the last bulk. */
const undoing: readonly UndoStep[] = [
  { run: isBlockGone, waits: true, wakeInMs: liftPollMs },
  { run: endShards },
  { run: (context, { record }) => removeOurNames(context, record).then(() => true) },
  // A request for the write hold names the mark, an alias that `removeOurNames` has removed. So no hold can land after
  // this give-back.
  { run: (context, { record }) => giveBackHold(context, record).then(() => true) },
  { run: drain, waits: true },
  { run: (context, { record }) => closeSnapshots(context, record), waits: true },
];

/**
 * CANCELLING and FAILING. The abort first gives back the write hold, which is safe at any time. Then it takes the
 * commit token, so that no swap can happen any more. Then it lifts the write block, because applications wait for that.
 * Then it undoes the rest. Each part finds out by itself what is left to do.
 * @param end moves the record to the phase that the abort ends in
 */
async function abort<P extends AbortingPhase, End extends 'CANCELLED' | 'FAILED'>(
  context: StepContext,
  view: MigrationView<P>,
  end: (record: MigrationIn<P>) => MigrationIn<End>,
): Promise<Changed<P | 'COMPLETING' | End> | Waiting> {
  const { record } = view;
  const { clock } = context;
  if (holdsWriters(record)) {
    await giveBackHold(context, record);
    return changed(withHoldGivenBack(record));
  }
  const step = decideAbort(record);
  if (step.type === 'take_token') return takeTokenFirst(context, record);
  if (step.type === 'lift_block') return endBlock(context, record, step.block);
  for (const { run, waits, wakeInMs } of undoing) {
    if (waits === true && context.abortsAtOnce === true) continue;
    if (!(await run(context, view))) return { ...waiting, ...(wakeInMs !== undefined && { wakeInMs }) };
  }
  const notRestored = await giveUpTarget(context, record);
  if (setsAside(record)) await context.refused?.forgetAll(record.key, { signal: context.signal });
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
    if ((await takeToken(context, record)) === 'taken') return changed({ ...record, tokenTaken: true });
  } catch (error) {
    const block = blockBeforeToken(record, error);
    if (block === undefined) throw error;
    return endBlock(context, record, block);
  }
  context.log.warn('abort_too_late', 'the alias had already been swapped: the migration completes');
  return changed({ ...moveMigration(record, 'COMPLETING', context.clock.now()), commitRequested: true });
}

/**
 * Lifts the block again if an earlier request for the block has landed after the lift. The abort does not leave that to
 * `guard`, because the rest of the abort can take minutes. No other migration can have set the block: this migration
 * still has the claim on the source.
 * @returns false: the block is not gone yet
 */
async function isBlockGone(context: StepContext, { record }: MigrationView): Promise<boolean> {
  if (!mayBlockLate(record) || isLongUndone(context, record)) return true;
  if (!(await isSourceBlocked(context, record))) return true;
  context.log.warn('write_block_late', 'a write block landed after it had been lifted: lifting it again');
  return liftBlock(context, record);
}

/** Waits until no bulk of the migration runs, on any node. */
async function drain(context: StepContext, view: MigrationView): Promise<boolean> {
  const { key } = view.record;
  const nodes = nodesInDoubt(view);
  await drainBulks(
    context,
    {
      matches: (opaqueId) => isOpaqueIdOf(opaqueId, key),
      isClosed: (aliases) => !aliases.some((alias) => alias.startsWith(fencePrefix(key))),
      nodes: () => nodes,
    },
    context.signal,
  );
  return true;
}
