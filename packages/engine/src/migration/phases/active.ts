import {
  findWaiting,
  type MigrationIn,
  moveMigration,
  replaceWait,
  transformPipeline,
  transformPipelineName,
} from '@aosc/domain';
import { ownValue } from '@aosc/contract';
import {
  changed,
  type MigrationView,
  type PhaseStep,
  type StepContext,
  type StepResult,
  type Waiting,
  waiting,
} from '../step/context';
import { failMigration, findFailure } from '../step/failure';
import { findChangedSettings, neededSettings, overridesOf } from '../target-settings/internal-settings';
import { putOverrides } from '../target-settings/put-overrides';
import { waitHeldUp } from '../step/waiting-reason';
import { findRefusedDrift, markMappings, noteMappings } from '../cutover/mapping-drift';
import { findSwapObstacle } from '../cutover/swap-needs';
import { type IndexDescription, maxSeqNosOf } from '../../ports/index-state-port';
import { ensureShardJobs } from '../step/shard-jobs';
import { findBlockedIndex } from '../cutover/index-blocks';
import { findMissingIngest } from '../cutover/missing-ingest';
import { isWithoutTarget, makeTarget } from '../files/make-target';
import { makeFencesAndToken } from '../cutover/make-fences';

/**
 * Each shard that ends its copy or converges wakes the scheduler, which then reads all shards: for N shards about N²
 * reads. So the scheduler rests before each look, and longer with more shards.
 */
const restPerShardMs = 10;
const longestRestMs = 300;
const waitingPrimariesMs = 200;

type ActiveRecord = MigrationIn<'ACTIVE'>;
type Result = Promise<StepResult<'ACTIVE'>>;

/** ACTIVE: prepares the target, then keeps every shard's job queued until all have converged. */
export const active: PhaseStep<'ACTIVE'> = async (context, view) => {
  const { record, shards } = view;
  if (isWithoutTarget(record)) return makeTarget(context, record);
  const isCaptured = record.targetOriginals !== undefined;
  if (!isCaptured || !record.targetPrepared) {
    // The request for the settings names the index, and another index may have got this name since an earlier step.
    const target = await context.target.state.describe({ signal: context.signal });
    if (target?.uuid !== record.targetUuid)
      return failMigration(context, record, `Target index [${record.targetIndex}] no longer exists`);
    return isCaptured ? prepareTarget(context, record, target) : captureOriginals(context, record, target);
  }
  const ahead = await lookAhead(context, view);
  const failed = findFailure(view) ?? ahead?.failed;
  if (failed !== undefined) return failMigration(context, record, failed);
  if (ahead?.noted !== undefined) return changed(ahead.noted);
  if (shards.length === record.sourceShardCount && shards.every(({ record: s }) => s.phase === 'CONVERGED')) {
    context.log.info('all_converged', 'every shard has converged', { shards: shards.length });
    return changed(moveMigration(record, 'PREPARING_TARGET', context.clock.now()));
  }
  await ensureShardJobs(context, view);
  const rest: Waiting = {
    type: 'waiting',
    restMs: Math.min(longestRestMs, restPerShardMs * record.sourceShardCount),
  };
  if (ahead === undefined) return rest;
  if (ahead.obstacle !== undefined) {
    const { text, remedy } = ahead.obstacle;
    return waitHeldUp(context, record, { reason: 'target', describe: () => `${text}; ${remedy}` });
  }
  if (findWaiting(record, 'cutover') === undefined) return rest;
  return changed({ ...record, waits: replaceWait(record.waits, 'cutover', undefined) });
};

interface Ahead {
  readonly failed: string | undefined;
  readonly noted: ActiveRecord | undefined;
  /** an operator can remove it, so the migration waits instead of failing */
  readonly obstacle: { readonly text: string; readonly remedy: string } | undefined;
}

/**
 * Looks for what would keep the swap from happening, because the copy would be of no use then. The later phases look
 * again.
 * @returns undefined: the next look is not due
 */
async function lookAhead(
  context: StepContext,
  { record, shards }: MigrationView<'ACTIVE'>,
): Promise<Ahead | undefined> {
  const { areSettingsDue = () => true, signal } = context;
  if (!areSettingsDue(record.key)) return undefined;
  const [source, target] = await Promise.all([
    context.source.state.describe({ signal }),
    context.target.state.describe({ signal }),
  ]);
  const failed =
    findChangedSettings(record, target) ??
    (await findSwapObstacle(context, record, source)) ??
    findRefusedDrift(record);
  // If no node can run the transform, each bulk fails, and the shards pause. So the scheduler asks the cluster for such
  // nodes only while a shard pauses, or while the migration waits already.
  const isPaused = shards.some(({ record: { flow } }) => flow?.pausedUntilMillis !== undefined);
  const mayLackIngest = isPaused || findWaiting(record, 'cutover') !== undefined;
  return {
    failed,
    noted: await noteMappings(context, record, [source, target]),
    obstacle:
      findBlockedIndex(record, source, target) ??
      (mayLackIngest ? await findMissingIngest(context, record) : undefined),
  };
}

/** Writes the target's settings into the record, before the service changes any of them. */
async function captureOriginals(
  context: StepContext,
  record: ActiveRecord,
  target: IndexDescription,
): Result {
  const names = [
    ...Object.keys(record.options.transientTargetSettings),
    ...Object.keys(neededSettings(target)),
  ];
  const [checkpoints, source, marks] = await Promise.all([
    context.target.state.readCheckpoints({ signal: context.signal }),
    context.source.state.readRouting({ signal: context.signal }),
    markMappings(context, target),
  ]);
  // Before the swap the service compares each primary's history uuid with the one that this step records. A primary
  // that is not started has none yet.
  const started = checkpoints.filter(({ state }) => state === 'STARTED').length;
  if (started !== record.targetShardCount) return waitForPrimaries(context, record, started);
  const { files } = record;
  // A target made of files was created with overridden settings. Its own values are in `files.originals`.
  const own = { ...target.settings, ...files?.originals };
  return changed({
    ...record,
    ...marks,
    ...(files && {
      files: {
        ...files,
        reached: maxSeqNosOf(checkpoints),
      },
    }),
    targetOriginals: Object.fromEntries(names.map((name) => [name, ownValue(own, name) ?? null])),
    sourceCopies: Object.fromEntries(
      source.primaries.map(({ shard, activeCopies }) => [String(shard), activeCopies]),
    ),
    targetHistories: Object.fromEntries(checkpoints.map((c) => [String(c.shard), c.historyUuid])),
  });
}

/**
 * Waits until all primaries of the target are started. A primary of an existing target may have failed since the
 * service accepted the migration. The primaries of a target made of the source's files may still recover these files.
 */
async function waitForPrimaries(context: StepContext, record: ActiveRecord, started: number): Result {
  const { targetIndex, targetShardCount, options, transitionHistory } = record;
  const describe = async (): Promise<string> => {
    const why = await context.target.state.explainUnassigned({ signal: context.signal });
    const text = `${started} of ${targetShardCount} primaries of target index [${targetIndex}] are started`;
    return why === undefined ? text : `${text}; ${why}`;
  };
  const { targetReadyTimeoutSeconds } = options;
  const startedAtMillis = transitionHistory[0]?.startTimeMillis ?? 0;
  if (context.clock.now() - startedAtMillis > targetReadyTimeoutSeconds * 1000) {
    return failMigration(
      context,
      record,
      `the target's shards did not start within ${targetReadyTimeoutSeconds}s: ${await describe()}`,
    );
  }
  return waitHeldUp(context, record, { reason: 'target', describe, wakeInMs: waitingPrimariesMs });
}

/** Overrides the target's settings, stores the transform, and makes the commit token and each shard's first fence. */
async function prepareTarget(
  context: StepContext,
  record: ActiveRecord,
  described: IndexDescription,
): Result {
  const { target, signal } = context;
  const without = await putOverrides(context, record, described);
  if (without !== undefined) return without;
  if (record.transform !== undefined) {
    const { rewritesIdentity, ...text } = record.transform;
    const pipeline = transformPipeline(text, { rewritesIdentity });
    context.assertMandate();
    await target.cluster.transforms.putPipeline(transformPipelineName(record.key), pipeline, { signal });
  }
  if (!(await makeFencesAndToken(context, record))) return waiting;
  context.log.info('target_prepared', 'settings overridden, fences and commit token made', {
    settings: Object.keys(overridesOf(record)).join(','),
  });
  return changed({ ...record, targetPrepared: true });
}
