import { isCaughtUp, isHeld, type MigrationIn, moveMigration } from '@aosc/domain';
import { changed, type MigrationView, type StepContext, type StepResult, waiting } from '../step/context';
import {
  failMigration,
  failOverdueBlock,
  findFailedShard,
  isBlockOverdue,
  isOverBudget,
  pauseBudgetMs,
} from '../step/failure';
import { closeHandedBack } from '../cleanup/finish-shards';
import { endAttempt, undoLateAttempt } from '../cutover/undo-attempt';
import { confirmShards } from '../cutover/confirm-shards';
import { findChangedSettings } from '../target-settings/internal-settings';
import { ensureCatchUpJobs } from '../step/shard-jobs';

/**
 * A shard that fails has five tries of five seconds each while its snapshot is open. Closing the snapshots of early
 * shards before that only takes the nodes from the last rounds of the others.
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
    // The block proves later that the source took no write since.
    if (isHeld(record)) return changed(withReached(context, record, confirmed), confirmed);
    const astray = findStrayEnd({ record, shards: confirmed });
    if (astray !== undefined) return failMigration(context, record, astray);
    return changed(moveMigration(record, 'COMPLETING', context.clock.now()), confirmed);
  }
  // Where a transform rewrites ids, the target does not tell what it still has of a document that has left the source.
  const mayComeBack = record.transform?.rewritesIdentity !== true;
  if (mayComeBack && isOverBudget(context, record)) {
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
  const budgetMs = mayComeBack ? pauseBudgetMs(context, record) : Infinity;
  // Below 0 a clock was set back: it may take longer than the block to catch up.
  if (blockedMs >= 0 && blockedMs < closeAfterMs)
    return { type: 'waiting', wakeInMs: Math.min(closeAfterMs, budgetMs) - blockedMs };
  // Shards that have had their last rounds wait for others.
  await closeHandedBack(context, view, { areConfirmed: false });
  return budgetMs === Infinity ? waiting : { type: 'waiting', wakeInMs: Math.max(0, budgetMs - blockedMs) };
}

/** Under a hold each shard itself finds the number up to which its last round goes. */
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
 * A worker may have read where the source stands from a record that was lost with its primary. The record that took its
 * place is of another look.
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
