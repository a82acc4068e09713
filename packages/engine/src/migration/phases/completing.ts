import {
  allSetAside,
  holdsWriters,
  isBlockAnnounced,
  type MigrationIn,
  moveMigration,
  setsAside,
  tokenAlias,
  withHoldGivenBack,
} from '@aosc/domain';
import type { MigrationRecord, WriteBlock, WriteHold } from '@aosc/contract';
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

/** COMPLETING: counts, the commit, and afterwards everything that needs not be done under the block. */
export async function completing(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<StepResult<'COMPLETING'>> {
  const { record } = view;
  if (record.committed) return finish(context, view);
  try {
    const result = await goOnToSwap(context, view);
    // A hold is bounded to seconds, and under the block after it nothing slow is done.
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

async function goOnToSwap(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<StepResult<'COMPLETING'>> {
  const { record } = view;
  // The block may be overdue after the request for the commit, too. If the commit has won the token, an abort would
  // only lead back here.
  if (isBlockOverdue(context, record) && !(await hasWon(context, record))) {
    return failOverdueBlock(context, record);
  }
  if (record.commitRequested) return settleCommit(context, record);
  if (record.undoing !== undefined) return endAttempt(context, view);
  if (!holdsWriters(record)) return validateCopy(context, view);
  if (isOverBudget(context, record))
    return undoLateAttempt(context, record, 'the counts and the last looks have not ended');
  return isBlockAnnounced(record) ? proveStandstill(context, record) : validateCopy(context, view);
}

/**
 * The block takes the place of the hold. Only what follows proves that the counts were those of a source that stands still: a
 * write may have passed the hold.
 */
async function proveStandstill(
  context: StepContext,
  record: MigrationIn<'COMPLETING'> & { readonly writeHold: WriteHold; readonly writeBlock: WriteBlock },
): Promise<StepResult<'COMPLETING'>> {
  // Only the last rounds needed the overrides of the target's settings. An undo puts them once more.
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

async function hasWon(context: StepContext, record: MigrationRecord): Promise<boolean> {
  return record.commitRequested && (await hasCommitted(context, record));
}

/** From here on only the token tells whether the swap has happened. If its answer is lost, the next step repeats it. */
async function settleCommit(
  context: StepContext,
  record: MigrationIn<'COMPLETING'>,
): Promise<StepResult<'COMPLETING'>> {
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

/** After the swap nothing can fail any more: each of these steps succeeds, or is tried again. */
async function finish(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<StepResult<'COMPLETING'>> {
  const { record } = view;
  const { log, clock } = context;
  const stray = await lookForStrayWrites(context, record);
  if (stray.type === 'wait') return { type: 'waiting', wakeInMs: finishPollMs };
  const warning = stray.type === 'none' ? undefined : stray.text;
  if (warning !== undefined) log.error('stray_write', warning, undefined);
  const end = decideShardsEnd(record, await finishShards(context, view), clock.now());
  if (end !== 'ended') {
    if (end === 'take_away') await endShards(context, view);
    return { type: 'waiting', wakeInMs: finishPollMs };
  }
  const notRestored = await restoreTarget(context, record);
  const unblocked = await unlessGone(liftBlockIfAsked(context, view), record);
  if (unblocked === undefined) return { type: 'waiting', wakeInMs: finishPollMs };
  await verifyRest(context, record);
  await removeOurNames(context, record);
  // A request for the hold goes through a name of ours: from now on none can land.
  await unlessGone(giveBackHold(context, record), undefined);
  const named = withHoldGivenBack(await unlessGone(withAliasesLeft(context, unblocked), unblocked));
  if (setsAside(record) && allSetAside(view.shards.map((stored) => stored.record)).length === 0)
    await context.refused?.forgetAll(record.key, { signal: context.signal });
  return changed({
    ...moveMigration(withWarning(named, warning), 'COMPLETED', clock.now()),
    ...(notRestored !== undefined && { notRestored }),
    guardUntilMillis: clock.now() + context.timing.guardMs,
  });
}

/** The warning also replaces the clearings, the reasons of an abort that came too late. */
function withWarning(
  record: MigrationIn<'COMPLETING'>,
  warning: string | undefined,
): MigrationIn<'COMPLETING'> {
  if (warning === undefined) return record;
  const { clearings: _late, ...rest } = record;
  return { ...rest, reason: warning };
}

/** An old source that is deleted or closed as soon as the alias has moved is nothing unusual, and no reason to wait. */
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

/** Applications that use another alias of the source go on reading the old index: the record says which these are. */
async function withAliasesLeft(
  { source, log, signal }: StepContext,
  record: MigrationIn<'COMPLETING'>,
): Promise<MigrationIn<'COMPLETING'>> {
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

/** @returns undefined while a write that is older than the swap still runs: unblocked, it could reach the old index */
async function liftBlockIfAsked(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<MigrationIn<'COMPLETING'> | undefined> {
  const { record } = view;
  const block = blockToLift(record);
  if (block === undefined) return record;
  if (await writesAreRunning(context, view)) return undefined;
  if (!(await liftBlock(context, record))) return undefined;
  return { ...record, writeBlock: { ...block, lifted: true } };
}

/** A node that was out of the cluster at the swap may hold a write, too, which it would take to the old index. */
async function writesAreRunning(context: StepContext, view: MigrationView): Promise<boolean> {
  const { record, shards } = view;
  const { source, target, signal } = context;
  const { members, aliases } = await target.cluster.readView(target.index, { signal });
  // The swap has taken the token away: a state that shows it is older.
  if (aliases.includes(tokenAlias(record.key))) return true;
  const known = new Set(shards.flatMap(({ record: shard }) => shard.writer.nodes ?? []));
  if (isAnybodyAwaited(context, [...known], members)) return true;
  const moved = { alias: record.alias, runningForMs: sinceSwapMs(record, context.clock.now()) };
  try {
    return mayWritesRun(await source.tasks.listWrites({ signal }, { moved }), members);
  } catch (error) {
    if (!isClusterError(error, 'forbidden')) throw error;
    return !hasTimedOut(record, context.clock.now(), context.timing.requestTimeoutMs);
  }
}
