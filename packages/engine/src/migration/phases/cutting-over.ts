import {
  decideGate,
  holdsWriters,
  isBlockAnnounced,
  isForcedNow,
  isHeld,
  type MigrationIn,
  moveMigration,
  predictPauseMs,
  putOff,
  restForPause,
  roundsWaitMs,
  type WithHold,
  withHoldGivenBack,
} from '@aosc/domain';
import { within } from '@aosc/signals';
import { maxSeqNosOf, type PrimaryCheckpoint } from '../../ports/index-state-port';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import {
  describeLost,
  findLostSnapshots,
  findMissingWorkers,
  lookForObstacle,
} from '../cutover/cutover-obstacle';
import { endAttempt, undoLateAttempt } from '../cutover/undo-attempt';
import { measureCutover } from '../cutover/measure-cutover';
import { findSwapObstacle } from '../cutover/swap-needs';
import { findUnaccepted } from '../cutover/set-aside-gate';
import { findDifference } from '../cutover/verify-gate';
import { readFinalCheckpoints } from '../cutover/final-checkpoints';
import { announcedBlock } from '../write-block/announced-block';
import { enforceBlock, sayConfirmed } from '../write-block/enforce-block';
import { giveBackHold, planHold, putHold } from '../write-block/write-hold';
import {
  failMigration,
  failOverdueBlock,
  findFailedShard,
  isBlockOverdue,
  isOverBudget,
  pauseBudget,
} from '../step/failure';
import { blockLandedLate, findLateBlock } from '../write-block/late-block';
import { markBlock } from '../write-block/mark-block';
import { isAlive } from '../step/shard-jobs';

const confirmPollMs = 100;
const idlePollMs = 40;
const passingMs = 20;
const recountLimitMs = 100;

type CuttingOver = MigrationIn<'CUTTING_OVER'>;
type View = MigrationView<'CUTTING_OVER'>;
type Next = StepResult<'CUTTING_OVER'>;
type Result = Promise<Next>;

/**
 * CUTTING_OVER: holds the writers of the source, or blocks them, and reads the checkpoints up to which the last rounds
 * go. A block counts as confirmed only when no earlier write runs any more. From the request for hold or block on,
 * applications wait.
 */
export async function cuttingOver(context: StepContext, view: View): Result {
  const { record } = view;
  if (!isBlockAnnounced(record) && !holdsWriters(record)) {
    // The operator's order (to wait, or to go on) is in the record, and this step ends in a compare-and-set of the
    // record. So an order wins if it is written before that compare-and-set, and is too late afterwards.
    const gate = decideGate(record, context.clock.now());
    if (gate.type !== 'open') return backToReplay(context, record, `it waits for ${gate.waitsFor}`);
    if (roundsAreRunning(context, view)) return waitForRounds(context, record);
    // A failed shard fails the migration, so a block on the source would be of no use.
    const failed = findFailedShard(view.shards);
    if (failed !== undefined) return failMigration(context, record, failed);
    const differing = (await findUnaccepted(view)) ?? (await findDifference(context, record));
    if (differing !== undefined) return backToReplay(context, record, differing);
    const { obstacle, shards } = await lookForObstacle(context, record);
    if (obstacle !== undefined) return backToReplay(context, record, obstacle.text);
    const [lost, noSwap, looked] = await Promise.all([
      findLostSnapshots(context, shards),
      findSwapObstacle(context, record),
      measureCutover(context, view.shards),
    ]);
    if (!looked.isTargetThere) {
      return failMigration(context, record, `Target index [${record.targetIndex}] no longer exists`);
    }
    if (noSwap !== undefined) return failMigration(context, record, noSwap);
    if (lost.length > 0) return backToReplay(context, record, describeLost(lost).text);
    // A shard is not at rest any more, so the next look waits until its round has ended.
    if (looked.atRest === undefined) return { type: 'waiting', wakeInMs: idlePollMs };
    // Looks for workers again, because the last worker may have stopped while `measureCutover` refreshed the target. A
    // slow answer of Redis is no obstacle: Redis named a worker a moment ago, and gaps would grow during the wait.
    const missingWorkers = await within(recountLimitMs, findMissingWorkers(context));
    if (missingWorkers !== undefined) return backToReplay(context, record, missingWorkers.text);
    const measured = { ...record, measured: looked.measured };
    const predictedMs = predictPauseMs(measured, shards) ?? 0;
    if (predictedMs > pauseBudget(context, record).budgetMs && !isForcedNow(record))
      return restUntilShorter(context, measured, predictedMs);
    return announceBlock(context, measured, { predictedMs });
  }
  if (isBlockOverdue(context, record)) return failOverdueBlock(context, record);
  if (record.undoing !== undefined) return endAttempt(context, view);
  if (isOverBudget(context, record)) return undoLateAttempt(context, record, 'writes of before it still run');
  if (!isBlockAnnounced(record)) return holdWriters(context, record);
  const { state, look } = await enforceBlock(context, record, record.writeBlock);
  if (state === 'source_gone') {
    return failMigration(context, record, `Source index [${record.sourceIndex}] no longer exists`);
  }
  if (state === 'lifted') return withoutUsersBlock(context, record);
  if (state === 'draining') return { type: 'waiting', wakeInMs: confirmPollMs };
  const finals = await readFinalCheckpoints(context, record, look);
  if (finals === undefined) return { type: 'waiting', wakeInMs: confirmPollMs };
  sayConfirmed(context, record.writeBlock);
  const writeBlock = { ...record.writeBlock, confirmed: true };
  return changed(toLastRounds(context, { ...record, writeBlock }, finals));
}

/** Makes writers wait by a write hold (see `planHold`). If the cluster refuses the hold, the block alone stops them. */
async function holdWriters(context: StepContext, record: CuttingOver & WithHold): Result {
  const refused = await putHold(context, record);
  if (refused !== undefined) {
    // An earlier request, whose answer was lost, may have put the hold.
    await giveBackHold(context, record);
    return announceBlock(context, withHoldGivenBack(record), { refused });
  }
  // A write passes the hold if its primary counted the active copies right before the hold. After this pause that write
  // has its sequence number, so the checkpoints count it.
  await context.clock.sleep(passingMs, context.signal);
  const finals = await readFinalCheckpoints(context, record, undefined);
  if (finals === undefined) return { type: 'waiting', wakeInMs: confirmPollMs };
  context.log.info('write_hold_begun', 'writers wait', { index: record.sourceIndex });
  return changed(toLastRounds(context, record, finals));
}

/** @param finals checkpoints of the source, up to which the last rounds go; under a hold a shard may go further */
function toLastRounds(
  { clock }: StepContext,
  record: CuttingOver,
  finals: readonly PrimaryCheckpoint[],
): MigrationIn<'CATCHING_UP'> {
  const now = clock.now();
  const { requestedAtMillis = now } = (isHeld(record) ? record.writeHold : record.writeBlock) ?? {};
  return moveMigration(
    {
      ...record,
      finalSeqNos: maxSeqNosOf(finals),
      cutoverContext: {
        docCountTolerance: record.options.docCountTolerance,
        docCountValidationPassed: false,
        aliasSwapSucceeded: false,
        cutoverStartMillis: requestedAtMillis,
      },
    },
    'CATCHING_UP',
    now,
  );
}

/**
 * Whether rounds of the replay still run. The cutover waits for them before it stops writers: afterwards each round
 * would delay its shard's last round.
 */
function roundsAreRunning(context: StepContext, { shards }: MigrationView): boolean {
  return shards.some((shard) => isAlive(context, shard));
}

function waitForRounds(context: StepContext, record: CuttingOver): Next {
  const entered = record.transitionHistory.at(-1)?.startTimeMillis ?? 0;
  if (context.clock.now() - entered <= roundsWaitMs(record)) return { type: 'waiting', wakeInMs: idlePollMs };
  return backToReplay(context, record, 'a round takes too long');
}

/**
 * Goes back to PREPARING_TARGET before writers are stopped. The replay goes on, and PREPARING_TARGET tries the cutover
 * again when nothing is in the way.
 */
function backToReplay(context: StepContext, record: CuttingOver, obstacle: string): Next {
  context.log.info('gaps_too_large', `no write block yet: ${obstacle}`);
  const now = context.clock.now();
  return changed(moveMigration(putOff(record, obstacle, now), 'PREPARING_TARGET', now));
}

/**
 * Goes back to PREPARING_TARGET because the predicted pause is too long. The replay goes on, and the next attempt comes
 * after a rest.
 */
function restUntilShorter(context: StepContext, record: CuttingOver, predictedMs: number): Next {
  const { text } = pauseBudget(context, record);
  const reason = `the pause of writes is predicted to last ${predictedMs} ms, longer than ${text}`;
  context.log.info('gaps_too_large', `no write block yet: ${reason}`);
  const nowMillis = context.clock.now();
  const rested = restForPause(record, { predictedMs, reason, nowMillis });
  return changed(moveMigration(rested, 'PREPARING_TARGET', nowMillis));
}

function withoutUsersBlock(context: StepContext, record: CuttingOver): Next {
  context.log.info(
    'users_block_lifted',
    'the write block that was there before is gone: one of ours takes its place',
  );
  const { writeBlock: _lifted, ...rest } = record;
  return changed(rest);
}

/**
 * Writes into the record that the migration is going to ask for the hold or the block, and when. The request follows in
 * the next step, so that each request of ours is on record.
 * @param refused why there can be no hold, where that is known
 */
async function announceBlock(
  context: StepContext,
  { withoutHold: _before, ...record }: CuttingOver,
  { refused, predictedMs }: { readonly refused?: string; readonly predictedMs?: number },
): Result {
  const source = await context.source.state.describe({ signal: context.signal });
  if (source?.uuid !== record.sourceUuid) {
    return failMigration(context, record, `Source index [${record.sourceIndex}] no longer exists`);
  }
  const found = source.settings['index.blocks.write'];
  const late =
    found === 'true'
      ? (blockLandedLate(context, record) ?? (await findLateBlock(context, record)))
      : undefined;
  if (late !== undefined) {
    context.log.warn(
      'write_block_late',
      'the write block of a migration that has ended is there: taking it over',
    );
  }
  const block = announcedBlock(found, late);
  if (!block.usersOwn) await markBlock(context, record);
  const hold = refused ?? (await planHold(context, record, source, predictedMs));
  if (typeof hold === 'object') return changed({ ...record, writeHold: hold });
  const writeBlock = { requestedAtMillis: context.clock.now(), ...block };
  return changed({ ...record, ...(hold !== undefined && { withoutHold: hold }), writeBlock });
}
