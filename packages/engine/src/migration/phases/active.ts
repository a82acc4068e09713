import { type MigrationIn, moveMigration, transformPipeline, transformPipelineName } from '@aosc/domain';
import { ownValue } from '@aosc/contract';
import type { SettingValue } from '../../ports/settings-port';
import { changed, type MigrationView, type StepContext, type StepResult, waiting } from '../step/context';
import { failMigration, findFailedShard } from '../step/failure';
import { findChangedSettings, neededSettings, settingsPut } from '../target-settings/internal-settings';
import { ensureShardJobs } from '../step/shard-jobs';
import { makeFencesAndToken } from '../cutover/make-fences';

/**
 * Each shard that ends its copy or converges wakes the scheduler, which reads all of them: with many shards that
 * would be the square of their number. They go together in a look after a rest that grows with their number.
 */
const restPerShardMs = 10;
const longestRestMs = 300;

/** ACTIVE: prepares the target, then keeps every shard's job queued until all have converged. */
export async function active(
  context: StepContext,
  view: MigrationView<'ACTIVE'>,
): Promise<StepResult<'ACTIVE'>> {
  const { record, shards } = view;
  if (record.targetOriginals === undefined) return captureOriginals(context, record);
  if (!record.targetPrepared) return prepareTarget(context, record);
  const failed = findFailedShard(shards) ?? (await lookAtSettings(context, record));
  if (failed !== undefined) return failMigration(context, record, failed);
  if (shards.length === record.sourceShardCount && shards.every(({ record: s }) => s.phase === 'CONVERGED')) {
    context.log.info('all_converged', 'every shard has converged', { shards: shards.length });
    return changed(moveMigration(record, 'PREPARING_TARGET', context.clock.now()));
  }
  await ensureShardJobs(context, view);
  return { type: 'waiting', restMs: Math.min(longestRestMs, restPerShardMs * record.sourceShardCount) };
}

/** The phases that follow look at each step: this one finds early what would be copied in vain. */
async function lookAtSettings(
  context: StepContext,
  record: MigrationIn<'ACTIVE'>,
): Promise<string | undefined> {
  const { areSettingsDue = () => true } = context;
  return areSettingsDue(record.key) ? findChangedSettings(context, record) : undefined;
}

/** What the target's settings were, recorded before any of them is changed. */
async function captureOriginals(
  context: StepContext,
  record: MigrationIn<'ACTIVE'>,
): Promise<StepResult<'ACTIVE'>> {
  const target = await context.target.state.describe({ signal: context.signal });
  if (target?.uuid !== record.targetUuid) {
    return failMigration(context, record, `Target index [${record.targetIndex}] no longer exists`);
  }
  const names = [
    ...Object.keys(record.options.transientTargetSettings),
    ...Object.keys(neededSettings(target)),
  ];
  const [checkpoints, source] = await Promise.all([
    context.target.state.readCheckpoints({ signal: context.signal }),
    context.source.state.readRouting({ signal: context.signal }),
  ]);
  // A primary that is not started has no history to compare with at the end.
  const started = checkpoints.filter(({ state }) => state === 'STARTED').length;
  if (started !== record.targetShardCount) return { type: 'waiting', wakeInMs: 500 };
  return changed({
    ...record,
    targetOriginals: Object.fromEntries(names.map((name) => [name, ownValue(target.settings, name) ?? null])),
    sourceCopies: Object.fromEntries(
      source.primaries.map(({ shard, activeCopies }) => [String(shard), activeCopies]),
    ),
    targetHistories: Object.fromEntries(checkpoints.map((c) => [String(c.shard), c.historyUuid])),
  });
}

/** Overrides the settings, stores the transform, and makes every shard's first fence and the commit token. */
async function prepareTarget(
  context: StepContext,
  record: MigrationIn<'ACTIVE'>,
): Promise<StepResult<'ACTIVE'>> {
  const { target, signal } = context;
  const overrides: Record<string, SettingValue> = {
    ...record.options.transientTargetSettings,
    ...settingsPut(record),
  };
  // The settings go by the name, and the index was found in an earlier step.
  const described = await target.state.describe({ signal });
  if (described?.uuid !== record.targetUuid) {
    return failMigration(context, record, `Target index [${record.targetIndex}] no longer exists`);
  }
  context.assertMandate();
  await target.settings.put(overrides, { signal });
  if (record.transform !== undefined) {
    const { rewritesIdentity, ...text } = record.transform;
    const pipeline = transformPipeline(text, { rewritesIdentity });
    context.assertMandate();
    await target.cluster.transforms.putPipeline(transformPipelineName(record.key), pipeline, { signal });
  }
  if (!(await makeFencesAndToken(context, record))) return waiting;
  context.log.info('target_prepared', 'settings overridden, fences and commit token made', {
    settings: Object.keys(overrides).join(','),
  });
  return changed({ ...record, targetPrepared: true });
}
