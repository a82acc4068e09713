import { isHeld, type MigrationIn, type WithHold } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { countFresh, sumOf } from '../../cluster/primaries';
import { type IndexRouting, type LaggingCopy, maxSeqNosOf } from '../../ports/index-state-port';
import {
  type Changed,
  changed,
  missingShard,
  type MigrationView,
  type StepContext,
  type Waiting,
} from '../step/context';
import { failMigration } from '../step/failure';
import { waitHeldUp } from '../step/waiting-reason';
import { ownAtSwap } from '../target-settings/internal-settings';
import {
  type CutoverObservation,
  describePassed,
  findCutoverHazard,
  findWritten,
  lookAtCutover,
} from './cutover-guard';
import { explainShortage, findMissing, findShortDocuments, namesShared } from './document-sums';
import { evaluateCopy, haveCountsPassed } from './evaluate-copy';
import { describeLagging, lookAtCopies } from './lagging-copies';
import { countKnownMissing, findUnaccepted } from './set-aside-gate';
import { areBulksOutstanding } from './outstanding-bulks';
import { announcedBlock } from '../write-block/announced-block';
import { isThere } from '../write-block/write-hold';
import { beginUndo } from './undo-attempt';

/** Short, because applications wait during this pause. */
const copyPollMs = 50;
const unnoticedMs = 1000;

/**
 * Checks everything that must hold before the swap. In doubt the migration fails, or the attempt is undone (see
 * `failOrUndo`): then writes go on, and no document is lost.
 */
export async function validateCopy(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<Changed<'COMPLETING' | 'FAILING'> | Waiting> {
  const { record } = view;
  const { source, target, signal, clock } = context;
  const { docCountTolerance: tolerance, validationQuery: query } = record.options;
  const unknown = missingShard(record, view.shards);
  if (unknown !== undefined) {
    const lost = `the record of source shard [${unknown}] is missing: it was deleted`;
    return failMigration(context, record, lost);
  }
  // The target may have refused documents in the last rounds, and no person has accepted these yet.
  const unaccepted = await findUnaccepted(view);
  if (unaccepted !== undefined) return beginUndo(context, record, unaccepted);
  context.assertMandate();
  // The look for outstanding bulks ends before the counts begin, because no count would show a bulk that lands later.
  // Reading the routings at the same time saves the counts a request: `countFresh` throws if a primary has changed
  // since.
  const [areOutstanding, inSource, inTarget] = await Promise.all([
    areBulksOutstanding(context, view),
    source.state.readRouting({ signal }),
    target.state.readRouting({ signal }),
  ]);
  if (areOutstanding) return { type: 'waiting', wakeInMs: copyPollMs };
  const counting = countFresh(target, { signal }, undefined, inTarget);
  const [sourceCount, knownMissing, held, targetCount, missing, lagging, observation] = await Promise.all([
    countFresh(source, { signal }, query, inSource).then(sumOf),
    countKnownMissing(context, view),
    counting,
    (query === undefined ? counting : countFresh(target, { signal }, query, inTarget)).then(sumOf),
    query === undefined ? undefined : findMissing(context, view, counting),
    refreshCopies(context, inTarget, counting),
    lookAtCutover(context, record),
    // Under a hold the overrides stay, because an undo may follow.
    isHeld(record) ? undefined : restoreForApplications(context, record),
  ]);
  const short = findShortDocuments(view, held);
  const counts = { sourceCount, targetCount, tolerance, knownMissing, short };
  const passed = haveCountsPassed(counts);
  const counted: MigrationIn<'COMPLETING'> = {
    ...record,
    // These numbers show a later verification what applications have written since the swap.
    targetAtSwap: maxSeqNosOf(observation.targetPrimaries),
    cutoverContext: {
      docCountTolerance: tolerance,
      cutoverStartMillis: record.cutoverContext?.cutoverStartMillis ?? clock.now(),
      aliasSwapSucceeded: false,
      sourceDocCount: sourceCount,
      targetDocCount: targetCount,
      docCountValidationPassed: passed,
    },
  };
  context.log.info('doc_count_validation', passed ? 'counts agree' : (short ?? 'counts differ'), {
    sourceCount,
    targetCount,
    tolerance,
  });
  const verdict = evaluateCopy({
    ...counts,
    missing,
    explanations: explainShortage(view),
    hazard: findCutoverHazard(record, observation),
    lagging,
  });
  switch (verdict.type) {
    case 'fail':
      return failOrUndo(context, { ...view, record: counted }, verdict.reason, observation);
    case 'wait':
      return waitForCopies(context, record, lagging);
    case 'swap':
      return isHeld(counted)
        ? blockHeld(context, counted, observation)
        : changed({ ...counted, commitRequested: true });
  }
}

function waitForCopies(
  context: StepContext,
  record: MigrationIn<'COMPLETING'>,
  lagging: readonly LaggingCopy[],
) {
  const what = describeLagging(lagging);
  context.log.info('replicas_lag', 'the swap waits for copies of the target', {
    lagging: lagging.length,
    what,
  });
  const describe = () => `${what}; ${lookAtCopies}`;
  return waitHeldUp(context, record, { reason: 'target', describe, wakeInMs: copyPollMs, unnoticedMs });
}

/**
 * Fails the migration. In three cases it undoes the attempt instead:
 * - Documents share a place, and no attempt was undone yet: the service's block or hold may have come between the two
 *   requests by which an application moves a document.
 * - Under a hold a verification has found a difference, which a person can repair.
 * - A write has passed the hold, so the counts prove nothing.
 */
async function failOrUndo(
  context: StepContext,
  { record, shards }: MigrationView<'COMPLETING'>,
  reason: string,
  { differing }: CutoverObservation,
): Promise<Changed<'COMPLETING' | 'FAILING'>> {
  const { source, signal } = context;
  if (
    record.undoneCount === undefined &&
    record.writeBlock?.usersOwn !== true &&
    namesShared(shards).length > 0
  )
    return beginUndo(context, record, reason);
  if (differing !== undefined && isHeld(record)) return beginUndo(context, record, differing);
  const passed = isHeld(record)
    ? findWritten(record, await source.state.readCheckpoints({ signal }))
    : undefined;
  if (passed !== undefined) return beginUndo(context, record, describePassed(passed));
  return failMigration(context, record, reason);
}

/**
 * Announces the block that takes the place of the hold, after all looks have passed. If a write has passed the hold, or
 * another client has changed block or hold, this undoes the attempt.
 */
function blockHeld(
  context: StepContext,
  record: MigrationIn<'COMPLETING'> & WithHold,
  { source, sourcePrimaries }: CutoverObservation,
): Changed<'COMPLETING' | 'FAILING'> {
  const block = announcedBlock(source?.settings['index.blocks.write'], undefined);
  if (block.usersOwn) return beginUndo(context, record, 'another client has set a write block on the source');
  const passed = findWritten(record, sourcePrimaries);
  if (passed !== undefined) return beginUndo(context, record, describePassed(passed));
  // If another client has changed settings of the hold, the request for the block would overwrite these.
  if (!isThere(record.writeHold, source?.settings ?? {}))
    return beginUndo(context, record, 'another client has changed the settings of the write hold');
  return changed({ ...record, writeBlock: { requestedAtMillis: context.clock.now(), ...block } });
}

/**
 * Refreshes the replicas, because after the swap a search on a replica must show all documents of the target.
 * @param counted resolves when the counts have refreshed the primaries, so that only replicas have work left
 * @returns copies that may not show all documents of the target
 */
async function refreshCopies(
  { target, signal }: Pick<StepContext, 'target' | 'signal'>,
  { primaries }: IndexRouting,
  counted: Promise<unknown>,
): Promise<readonly LaggingCopy[]> {
  await counted;
  if (primaries.every(({ copies }) => copies === 1)) return [];
  await target.state.refresh({ signal });
  return target.state.findLaggingCopies({ signal });
}

/**
 * Gives the target back the settings that applications rely on: its own pipeline, and how long it remembers deletes. An
 * undo puts the overrides on the target again. This also undoes overrides of a dead scheduler that have landed since
 * PREPARING_TARGET, because later they would look like the operator's settings.
 */
export async function restoreForApplications(context: StepContext, record: MigrationRecord): Promise<void> {
  const { target, signal } = context;
  const described = await target.state.describe({ signal });
  // `findCutoverHazard` reports a target that was deleted and made again.
  if (described?.uuid !== record.targetUuid) return;
  const own = ownAtSwap(record, described);
  if (own.length === 0) return;
  context.assertMandate();
  await target.settings.put(Object.fromEntries(own), { signal });
}
