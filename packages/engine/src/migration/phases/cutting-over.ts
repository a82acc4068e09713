import {
  decideGate,
  isBlockAnnounced,
  type MigrationIn,
  moveMigration,
  putOff,
  roundsWaitMs,
} from '@aosc/domain';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { untilAborted } from '../../cluster/coalesced-calls';
import { ignoreClusterErrors, isIndexMissing } from '../../ports/cluster-error';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import {
  describeLost,
  findLostSnapshots,
  findNobody,
  lookForObstacle,
  type Obstacle,
} from '../cutover/cutover-obstacle';
import { beginUndo, endAttempt } from '../cutover/undo-attempt';
import { confirmShards } from '../cutover/confirm-shards';
import { findSwapObstacle } from '../cutover/swap-needs';
import { areFinal, type FinalLook, lookAtFinals } from '../cutover/final-checkpoints';
import { announcedBlock } from '../write-block/announced-block';
import { enforceBlock } from '../write-block/enforce-block';
import {
  failMigration,
  failOverdueBlock,
  findFailedShard,
  isBlockOverdue,
  isOverBudget,
} from '../step/failure';
import { blockLandedLate, findLateBlock } from '../write-block/late-block';
import { markBlock } from '../write-block/mark-block';
import { isAlive } from '../step/shard-jobs';

const confirmPollMs = 100;
const checkpointPollMs = 20;
const idlePollMs = 40;
/** Meanwhile the source gets ahead of what the last rounds have to bring. */
const refreshLimitMs = 500;
const recountLimitMs = 100;

/**
 * CUTTING_OVER: blocks writes on the source, makes sure that none is running any more, and reads the final
 * checkpoints. From the block's request on everything is on the clock.
 */
export async function cuttingOver(
  context: StepContext,
  view: MigrationView<'CUTTING_OVER'>,
): Promise<StepResult<'CUTTING_OVER'>> {
  const { record } = view;
  if (!isBlockAnnounced(record)) {
    // What this step writes at its end replaces the record that says so: an order that comes meanwhile wins, or comes too late.
    const gate = decideGate(record, context.clock.now());
    if (gate.type !== 'open') return backToReplay(context, record, `it waits for ${gate.waitsFor}`);
    if (roundsAreRunning(context, view)) return waitForRounds(context, record);
    // A shard whose last round has failed: not even for a moment shall the source be blocked for it.
    const failed = findFailedShard(view.shards);
    if (failed !== undefined) return failMigration(context, record, failed);
    const { obstacle, shards } = await lookForObstacle(context, record);
    if (obstacle !== undefined) return backToReplay(context, record, obstacle.text);
    const [lost, isTargetThere, noSwap, atRest] = await Promise.all([
      findLostSnapshots(context, shards),
      refreshTarget(context),
      findSwapObstacle(context, record),
      confirmShards(context, view.shards, isAtRest),
    ]);
    if (!isTargetThere) {
      return failMigration(context, record, `Target index [${record.targetIndex}] no longer exists`);
    }
    if (noSwap !== undefined) return failMigration(context, record, noSwap);
    if (lost.length > 0) return backToReplay(context, record, describeLost(lost).text);
    // The next look sees what has become of it.
    if (atRest === undefined) return { type: 'waiting', wakeInMs: idlePollMs };
    // The refresh may have taken its time, in which the last worker has stopped.
    const nobody = await findNobodySoon(context);
    if (nobody !== undefined) return backToReplay(context, record, nobody.text);
    return announceBlock(context, record);
  }
  if (isBlockOverdue(context, record)) return failOverdueBlock(context, record);
  if (record.undoing !== undefined) return endAttempt(context, view, record.writeBlock);
  if (isOverBudget(context, record))
    return beginUndo(context, record, 'writes of before the block still run');
  const { state, look } = await enforceBlock(context, record, record.writeBlock);
  if (state === 'source_gone') {
    return failMigration(context, record, `Source index [${record.sourceIndex}] no longer exists`);
  }
  if (state === 'lifted') return withoutUsersBlock(context, record);
  if (state === 'draining') return { type: 'waiting', wakeInMs: confirmPollMs };
  const finals = await readFinalCheckpoints(context, record, look);
  if (finals === undefined) return { type: 'waiting', wakeInMs: confirmPollMs };
  context.log.info('write_block_confirmed', 'no write can be acknowledged any more', {
    sinceRequestMs: context.clock.now() - record.writeBlock.requestedAtMillis,
  });
  const now = context.clock.now();
  return changed(
    moveMigration(
      {
        ...record,
        writeBlock: { ...record.writeBlock, confirmed: true },
        finalSeqNos: Object.fromEntries(finals.map(({ shard, maxSeqNo }) => [String(shard), maxSeqNo])),
        cutoverContext: {
          docCountTolerance: record.options.docCountTolerance,
          docCountValidationPassed: false,
          aliasSwapSucceeded: false,
          cutoverStartMillis: record.writeBlock.requestedAtMillis,
        },
      },
      'CATCHING_UP',
      now,
    ),
  );
}

function isAtRest({ phase, writer }: ShardRecord): boolean {
  return phase === 'CONVERGED' && writer.owner === undefined;
}

/** The last rounds of the replay end before the block begins: under it, each would make its shard's catch-up wait. */
function roundsAreRunning(context: StepContext, { shards }: MigrationView): boolean {
  return shards.some((shard) => isAlive(context, shard));
}

function waitForRounds(
  context: StepContext,
  record: MigrationIn<'CUTTING_OVER'>,
): StepResult<'CUTTING_OVER'> {
  const entered = record.transitionHistory.at(-1)?.startTimeMillis ?? 0;
  if (context.clock.now() - entered <= roundsWaitMs(record)) return { type: 'waiting', wakeInMs: idlePollMs };
  return backToReplay(context, record, 'a round takes too long');
}

/** The gaps grow meanwhile, so a Redis that is slow is not waited for: it has told a moment ago that there is a worker. */
async function findNobodySoon(context: StepContext): Promise<Obstacle | undefined> {
  const limit = timeLimit(recountLimitMs, context.signal);
  try {
    return await untilAborted(findNobody(context), { signal: limit });
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.aborted) return undefined;
    throw error;
  }
}

/**
 * What the last rounds are about to delete they look up in the target as it is now, and a node refreshes a shard for that
 * where something was written to it since it was last refreshed. Done before the block, that costs nobody a pause. It may
 * fail, or take too long: then the last rounds take longer.
 * @returns whether the target is there
 */
async function refreshTarget({ target, signal }: StepContext): Promise<boolean> {
  try {
    await target.state.refresh({ signal: timeLimit(refreshLimitMs, signal) });
  } catch (error) {
    signal.throwIfAborted();
    if (isIndexMissing(error)) return false;
    ignoreClusterErrors(error);
  }
  return true;
}

/** Nothing is blocked yet: the replay goes on, and the cutover is tried again when it has caught up. */
function backToReplay(
  context: StepContext,
  record: MigrationIn<'CUTTING_OVER'>,
  obstacle: string,
): StepResult<'CUTTING_OVER'> {
  context.log.info('gaps_too_large', `no write block yet: ${obstacle}`);
  const now = context.clock.now();
  return changed(moveMigration(putOff(record, obstacle, now), 'PREPARING_TARGET', now));
}

/** They have lifted it: the next step announces one of ours. */
function withoutUsersBlock(
  context: StepContext,
  record: MigrationIn<'CUTTING_OVER'>,
): StepResult<'CUTTING_OVER'> {
  context.log.info(
    'users_block_lifted',
    'the write block that was there before is gone: one of ours takes its place',
  );
  const { writeBlock: _lifted, ...rest } = record;
  return changed(rest);
}

/** Written down before the block is asked for: whoever finds the source blocked knows by whom, and since when. */
async function announceBlock(
  context: StepContext,
  record: MigrationIn<'CUTTING_OVER'>,
): Promise<StepResult<'CUTTING_OVER'>> {
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
  return changed({ ...record, writeBlock: { requestedAtMillis: context.clock.now(), ...block } });
}

/**
 * Under the confirmed block: flushed where durability is async, and every checkpoint at its shard's last number. Nothing
 * is refreshed here: the last round of each shard does that for its own, beside the others.
 * @param first what was seen a moment ago, after the block was confirmed
 */
async function readFinalCheckpoints(
  context: StepContext,
  record: MigrationRecord,
  first: FinalLook | undefined,
): Promise<readonly PrimaryCheckpoint[] | undefined> {
  const { source, signal, clock } = context;
  for (let attempt = 0; attempt < 50; attempt++) {
    const look = (attempt === 0 ? first : undefined) ?? (await lookAtFinals(context));
    if (areFinal(record, look)) return look.checkpoints;
    if (attempt % 10 === 1) await source.state.flush({ signal });
    await clock.sleep(checkpointPollMs, signal);
  }
  return undefined;
}
