import {
  allSetAside,
  holdsWriters,
  isBlockAnnounced,
  type MigrationIn,
  moveMigration,
  runsOf,
  setsAside,
  tokenAlias,
  type WithBlock,
  type WithHold,
  withHoldGivenBack,
} from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { aliasesLeftBehind } from '../../ports/index-state-port';
import { isClusterError, isIndexClosed, isIndexMissing, instead } from '../../ports/cluster-error';
import { isAnybodyAwaited } from '../../cluster/drain';
import { endShards } from '../cleanup/end-shards';
import { bringPrimariesBack, closeHandedBack, finishShards } from '../cleanup/finish-shards';
import { removeOurNames } from '../cleanup/remove-names';
import { hasCommitted } from '../cutover/commit-token';
import { swapAlias } from '../cutover/swap-alias';
import {
  blockToLift,
  decideShardsEnd,
  findStrayWrites,
  hasTimedOut,
  mayWritesRun,
  sinceSwapMs,
} from './decide-finish';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { failMigration, failOverdueBlock, isBlockOverdue, isOverBudget } from '../step/failure';
import { describePassed, findWritten } from '../cutover/cutover-guard';
import { beginUndo, endAttempt, undoLateAttempt } from '../cutover/undo-attempt';
import { verifyRest } from '../cutover/verify-gate';
import { restoreForApplications, validateCopy } from '../cutover/validate-copy';
import { blockAfterHold } from '../write-block/block-after-hold';
import { sayConfirmed } from '../write-block/enforce-block';
import { liftBlock } from '../write-block/lift-block';
import { giveBackHold } from '../write-block/write-hold';
import { restoreTarget } from '../target-settings/restore-target';

const finishPollMs = 500;
const proofPollMs = 20;

type Completing = MigrationIn<'COMPLETING'>;
type View = MigrationView<'COMPLETING'>;
type Result = Promise<StepResult<'COMPLETING'>>;

/** COMPLETING: counts, then the swap, then everything that need not be done under the block. */
export async function completing(context: StepContext, view: View): Result {
  const { record } = view;
  if (record.committed) return finish(context, view);
  try {
    const result = await goOnToSwap(context, view);
    // While the swap waits, no worker looks after the last rounds' snapshots, so the scheduler closes them. In an
    // attempt with a hold the wait lasts only seconds, and the request would only delay the writers.
    if (result.type === 'waiting' && !holdsWriters(record)) await closeHandedBack(context, view);
    return result;
  } catch (error) {
    if (isClusterError(error)) {
      await closeHandedBack(context, view);
      await bringPrimariesBack(context);
    }
    throw error;
  }
}

async function goOnToSwap(context: StepContext, view: View): Result {
  const { record } = view;
  // The block may also be overdue after the swap was sent. If the swap has happened, an abort would find the commit
  // token gone, and would only come back to this phase.
  if (isBlockOverdue(context, record) && !(record.commitRequested && (await hasCommitted(context, record))))
    return failOverdueBlock(context, record);
  if (record.commitRequested) return sendSwap(context, record);
  if (record.undoing !== undefined) return endAttempt(context, view);
  if (!holdsWriters(record)) return validateCopy(context, view);
  if (isOverBudget(context, record))
    return undoLateAttempt(context, record, 'the counts and the last looks have not ended');
  return isBlockAnnounced(record) ? proveStandstill(context, record) : validateCopy(context, view);
}

/**
 * Puts the block in the place of the hold, and proves that no write has followed the last rounds. The counts were taken
 * under the hold, which may have let a write pass.
 */
async function proveStandstill(context: StepContext, record: Completing & WithHold & WithBlock): Result {
  // Meanwhile the target gets its own settings back, because nothing needs the overrides after the last rounds. An undo
  // puts the overrides on the target again.
  const finals = await blockAfterHold(context, record, () => restoreForApplications(context, record));
  if (finals === 'source_gone') {
    return failMigration(context, record, `Source index [${record.sourceIndex}] no longer exists`);
  }
  if (finals === 'draining') return { type: 'waiting', wakeInMs: proofPollMs };
  const written = findWritten(record, finals);
  if (written !== undefined) return beginUndo(context, record, describePassed(written));
  sayConfirmed(context, record.writeBlock);
  return changed({ ...record, writeBlock: { ...record.writeBlock, confirmed: true }, commitRequested: true });
}

/**
 * Sends the swap. From here on only the target's aliases show whether the swap has happened: the commit token is gone,
 * and `committedAlias` is there. If the swap's answer is lost, the next step sends the swap again, which can't take
 * effect twice.
 */
async function sendSwap(context: StepContext, record: Completing): Result {
  const outcome = await swapAlias(context, record);
  if (outcome.type === 'refused') return failMigration(context, record, outcome.reason);
  const now = context.clock.now();
  const start = record.cutoverContext?.cutoverStartMillis ?? now;
  const blockMs = now - (record.writeBlock?.requestedAtMillis ?? start);
  context.log.info('cutover_complete', 'the alias points at the target', {
    alias: record.alias,
    blockMs,
  });
  context.metrics.writeBlockEnded(blockMs / 1000);
  return changed({
    ...record,
    committed: true,
    cutoverContext: {
      docCountTolerance: record.options.docCountTolerance,
      docCountValidationPassed: true,
      cutoverStartMillis: start,
      ...record.cutoverContext,
      aliasSwapSucceeded: true,
      cutoverEndMillis: now,
    },
  });
}

/** After the swap the migration can't fail any more: each of these steps succeeds, or is tried again. */
async function finish(context: StepContext, view: View): Result {
  const { record } = view;
  const { clock } = context;
  const stray = await lookForStrayWrites(context, record);
  if (stray.type === 'wait') return { type: 'waiting', wakeInMs: finishPollMs };
  const warning = stray.type === 'none' ? undefined : stray.text;
  const end = decideShardsEnd(record, await finishShards(context, view), clock.now());
  if (end !== 'ended') {
    if (end === 'take_away') await endShards(context, view);
    return { type: 'waiting', wakeInMs: finishPollMs };
  }
  const notRestored = await restoreTarget(context, record);
  const unblocked = await unlessGone(liftBlockIfAsked(context, view), record);
  if (unblocked === undefined) return { type: 'waiting', wakeInMs: finishPollMs };
  // Once the block is gone, clients may write to the old index. The record must say so before a part below can fail:
  // otherwise the next step would take such a write for a stray one.
  if (unblocked !== record) return changed(withWarning(context, unblocked, warning));
  await verifyRest(context, record);
  await removeOurNames(context, record);
  // A request for the write hold names the mark, an alias that `removeOurNames` has removed. So no hold can land after
  // this give-back.
  await unlessGone(giveBackHold(context, record), undefined);
  const named = withHoldGivenBack(await unlessGone(withAliasesLeft(context, unblocked), unblocked));
  if (setsAside(record) && allSetAside(view.shards.map((stored) => stored.record)).length === 0)
    await context.refused?.forgetAll(record.key, { signal: context.signal });
  return changed({
    ...moveMigration(withWarning(context, named, warning), 'COMPLETED', clock.now()),
    ...(notRestored !== undefined && { notRestored }),
    guardUntilMillis: clock.now() + context.timing.guardMs,
  });
}

/**
 * Puts a warning into the record, in the place of a reason and of clearings (an administrator's `_clear_state`). The
 * record has these if an abort came after the swap. Without a warning they stay.
 */
function withWarning({ log }: StepContext, record: Completing, warning: string | undefined): Completing {
  if (warning === undefined) return record;
  // The log gets the warning only here: `finish` finds the stray write at each of its looks.
  log.error('stray_write', warning, undefined);
  const { clearings: _late, ...rest } = record;
  return { ...rest, reason: warning };
}

/**
 * Takes `otherwise` if the old source is gone or closed. Users often delete or close it as soon as the alias has moved,
 * and the migration ends all the same.
 */
function unlessGone<T>(done: Promise<T>, otherwise: T): Promise<T> {
  return done.catch(instead(otherwise, isIndexMissing, isIndexClosed));
}

async function lookForStrayWrites(
  context: StepContext,
  record: MigrationRecord,
): Promise<ReturnType<typeof findStrayWrites>> {
  const { source, target, signal, log, clock } = context;
  const checkpoints = await unlessGone(source.state.readCheckpoints({ signal }), undefined);
  const described = await target.state.describe({ signal });
  if (described !== undefined && !described.aliases.has(record.alias)) {
    log.warn('alias_moved_on', 'the alias was moved away from the target after the swap', {
      alias: record.alias,
    });
  }
  return checkpoints === undefined ? { type: 'none' } : findStrayWrites(record, checkpoints, clock.now());
}

/**
 * Notes in the record which other aliases still point at the source: applications that use one of these aliases go on
 * reading the old index.
 */
async function withAliasesLeft(
  { source, log, signal }: StepContext,
  record: Completing,
): Promise<Completing> {
  const described = await source.state.describe({ signal });
  const { aliasesLeftBehind: _asOfTheStart, ...rest } = record;
  if (described === undefined) return rest;
  const left = aliasesLeftBehind(described, record.alias);
  if (left.aliasesLeftBehind !== undefined) {
    log.warn('aliases_left', 'other aliases still point at the source', {
      aliases: left.aliasesLeftBehind.join(','),
    });
  }
  return { ...rest, ...left };
}

/**
 * Lifts the block after the swap, where the start has asked for that.
 * @returns undefined: ask again. The block is not gone yet, or a write that is older than the swap still runs: without
 *   the block it could reach the old index
 */
async function liftBlockIfAsked(context: StepContext, view: View): Promise<Completing | undefined> {
  const { record } = view;
  const block = blockToLift(record);
  if (block === undefined) return record;
  if (await writesAreRunning(context, view)) return undefined;
  if (!(await liftBlock(context, record))) return undefined;
  return { ...record, writeBlock: { ...block, lifted: true } };
}

/**
 * Whether a write from before the swap may still run. A node that was out of the cluster at the swap may hold such a
 * write, and would take it to the old index.
 */
async function writesAreRunning(context: StepContext, view: MigrationView): Promise<boolean> {
  const { record, shards } = view;
  const { source, target, signal } = context;
  const { members, aliases } = await target.cluster.readView(target.index, { signal });
  // The swap has removed the token. A cluster state that still shows the token is older than the swap, and so is its
  // list of members.
  if (aliases.includes(tokenAlias(record.key))) return true;
  if (isAnybodyAwaited(context, runsOf(shards.map((stored) => stored.record)), members)) return true;
  const moved = { alias: record.alias, runningForMs: sinceSwapMs(record, context.clock.now()) };
  const tasks = await source.tasks.listWrites({ signal }, { moved }).catch(instead(undefined, 'forbidden'));
  return tasks === undefined
    ? !hasTimedOut(record, context.clock.now(), context.timing.requestTimeoutMs)
    : mayWritesRun(tasks, members);
}
