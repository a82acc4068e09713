import { isCaughtUp, isHeld, type MigrationIn, moveMigration } from '@aosc/domain';
import { changed, type MigrationView, type StepContext, type StepResult, waiting } from '../step/context';
import {
  failMigration,
  failOverdueBlock,
  findFailedShard,
  isBlockOverdue,
  isOverBudget,
  pauseBudget,
} from '../step/failure';
import { closeHandedBack } from '../cleanup/finish-shards';
import { endAttempt, undoLateAttempt } from '../cutover/undo-attempt';
import { confirmShards } from '../cutover/confirm-shards';
import { findChangedSettings } from '../target-settings/internal-settings';
import { holdsBlock } from '../step/block-watch';
import { ensureCatchUpJobs } from '../step/shard-jobs';

/**
 * From this long after the request for the hold or the block on, the scheduler closes the snapshots of shards that have
 * had their last round. An open snapshot keeps its shard's lock, and so keeps a failed primary from coming back to its
 * node. A few seconds do no harm, because OpenSearch tries five times, for five seconds each. Closing earlier would
 * slow down last rounds that still run.
 */
const closeAfterMs = 3000;

/** CATCHING_UP: the last round of every shard, on all shards at once. */
export async function catchingUp(
  context: StepContext,
  view: MigrationView<'CATCHING_UP'>,
): Promise<StepResult<'CATCHING_UP'>> {
  const { record, shards } = view;
  const failed = findFailedShard(shards);
  if (failed !== undefined) return failMigration(context, record, failed);
  if (isBlockOverdue(context, record)) return failOverdueBlock(context, record);
  if (record.undoing !== undefined) return endAttempt(context, view);
  if (shards.length === record.sourceShardCount && shards.every(({ record: s }) => isCaughtUp(s.phase))) {
    const [target, confirmed] = await Promise.all([
      context.target.state.describe({ signal: context.signal }),
      confirmShards(context, shards, ({ phase }) => isCaughtUp(phase)),
    ]);
    const tampered = findChangedSettings(record, target);
    if (tampered !== undefined) return failMigration(context, record, tampered);
    if (confirmed === undefined) return { type: 'waiting', wakeInMs: 0 };
    // A hold may let a write pass, so the final numbers that were read under the hold may be too low. The numbers at
    // which the last rounds have ended replace them. Later the block proves that no write has followed.
    if (isHeld(record)) return changed(withReached(context, record, confirmed), confirmed);
    const astray = findStrayEnd({ record, shards: confirmed });
    if (astray !== undefined) return failMigration(context, record, astray);
    return changed(moveMigration(record, 'COMPLETING', context.clock.now()), confirmed);
  }
  if (isOverBudget(context, record)) {
    const left = shards.filter(({ record: { phase } }) => !isCaughtUp(phase));
    return undoLateAttempt(
      context,
      record,
      `the last round has not ended on shard [${left.map((one) => one.record.shard).join('], [')}]`,
    );
  }
  await ensureCatchUpJobs(context, view);
  const { requestedAtMillis = 0 } = (isHeld(record) ? record.writeHold : record.writeBlock) ?? {};
  const blockedMs = context.clock.now() - requestedAtMillis;
  // An attempt that relies on the user's own block has no budget.
  const isBound = isHeld(record) || holdsBlock(record);
  const budgetMs = isBound ? pauseBudget(context, record).budgetMs : Infinity;
  // If `blockedMs` is negative, a clock was set back, and the block may have to end before that clock catches up. So
  // the snapshots are closed now.
  if (blockedMs >= 0 && blockedMs < closeAfterMs)
    return { type: 'waiting', wakeInMs: Math.min(closeAfterMs, budgetMs) - blockedMs };
  // The shards that have had their last rounds wait for the other shards, and no worker looks after their snapshots.
  await closeHandedBack(context, view);
  return budgetMs === Infinity ? waiting : { type: 'waiting', wakeInMs: Math.max(0, budgetMs - blockedMs) };
}

/**
 * Takes the numbers at which the shards' last rounds have ended as the final numbers. Under a hold each shard's worker
 * itself finds the source's highest number.
 */
function withReached(
  { clock }: StepContext,
  record: MigrationIn<'CATCHING_UP'>,
  shards: MigrationView['shards'],
): MigrationIn<'COMPLETING'> {
  const reached: readonly (readonly [string, number])[] = shards.map(
    ({ record: { shard, lastReplayedSeqNo } }) => [String(shard), lastReplayedSeqNo],
  );
  return moveMigration({ ...record, finalSeqNos: Object.fromEntries(reached) }, 'COMPLETING', clock.now());
}

/**
 * Finds a shard whose last round has ended at another number than the migration's record names. The shard's worker read
 * its number in an earlier version of that record. A primary has lost that version, and a repeated step has then read
 * another number from the source.
 */
function findStrayEnd({
  record: { finalSeqNos },
  shards,
}: Pick<MigrationView<'CATCHING_UP'>, 'record' | 'shards'>): string | undefined {
  const astray = shards.find(
    ({ record: { shard, lastReplayedSeqNo } }) => lastReplayedSeqNo !== finalSeqNos?.[String(shard)],
  );
  if (astray === undefined) return undefined;
  const { shard, lastReplayedSeqNo } = astray.record;
  return (
    `shard [${shard}] had its last round up to [${lastReplayedSeqNo}], and the source stands still at ` +
    `[${finalSeqNos?.[String(shard)] ?? 'no number'}]: start the migration again`
  );
}
