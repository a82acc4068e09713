import { isCaughtUp, type MigrationIn, moveMigration } from '@aosc/domain';
import { validateCopy } from '../cutover/validate-copy';
import { changed, type MigrationView, type StepContext, type StepResult, waiting } from '../step/context';
import { failMigration, failOverdueBlock, findFailedShard, isBlockOverdue } from '../step/failure';
import { findChangedSettings } from '../target-settings/internal-settings';
import { ensureCatchUpJobs } from '../step/shard-jobs';

/** CATCHING_UP: the last round of every shard, on all shards at once. */
export async function catchingUp(
  context: StepContext,
  view: MigrationView<'CATCHING_UP'>,
): Promise<StepResult<'CATCHING_UP'>> {
  const { record, shards } = view;
  const failed = findFailedShard(shards);
  if (failed !== undefined) return failMigration(context, record, failed);
  if (isBlockOverdue(context, record)) return failOverdueBlock(context, record);
  if (shards.length === record.sourceShardCount && shards.every(({ record: s }) => isCaughtUp(s.phase))) {
    const completing = moveMigration(record, 'COMPLETING', context.clock.now());
    const [tampered, validated] = await Promise.all([
      findChangedSettings(context, record),
      mayValidateAtOnce(record) ? validateCopy(context, { ...view, record: completing }) : waiting,
    ]);
    if (tampered !== undefined) return failMigration(context, record, tampered);
    return validated.type === 'changed' ? validated : changed(completing);
  }
  await ensureCatchUpJobs(context, view);
  return waiting;
}

/**
 * Whether the validation may go beside the last look at the target's settings, and be written down with COMPLETING: it
 * spares applications a write and what follows it. A final pipeline that it gives back would look like a change to a
 * scheduler that finds the migration in CATCHING_UP after this one has died.
 */
function mayValidateAtOnce({ targetOriginals = {} }: MigrationIn<'CATCHING_UP'>): boolean {
  return !Object.hasOwn(targetOriginals, 'index.final_pipeline');
}
