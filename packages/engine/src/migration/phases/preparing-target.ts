import { decideGate, type MigrationIn, moveMigration } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import type { IndexHealth } from '../../ports/index-state-port';
import { describeLost, findLostSnapshots, lookForObstacle, type Obstacle } from '../cutover/cutover-obstacle';
import { holdBack } from '../cutover/hold-back';
import { finishUndo, isStillUndone } from '../cutover/undo-attempt';
import { blockLandedLate, isSourceBlocked } from '../write-block/late-block';
import { liftBlock, liftPollMs } from '../write-block/lift-block';
import { describeLagging, lookAtCopies } from '../cutover/lagging-copies';
import { awaitsFields, type Described, findRefusedDrift, noteMappings } from '../cutover/mapping-drift';
import { calm, noteRefreshInterval, refreshAll } from '../cutover/search-replicas';
import { findBlockedIndex } from '../cutover/index-blocks';
import { findSwapObstacle } from '../cutover/swap-needs';
import { describeUnread, withUnreadKeys } from '../cutover/unread-keys';
import { findUnaccepted } from '../cutover/set-aside-gate';
import { findUnverified } from '../cutover/verify-gate';
import { waitForVerification } from '../cutover/wait-for-verification';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { failMigration, findFailure } from '../step/failure';
import { waitHeldUp } from '../step/waiting-reason';
import { waitOrFail, withLaterDeadline } from '../step/target-deadline';
import { findChangedSettings, isAsync } from '../target-settings/internal-settings';
import { restoreSettings } from '../target-settings/restore-settings';
import { ensureShardJobs, hurry } from '../step/shard-jobs';

const greenPollMs = 1000;
const gapPollMs = 200;
const comeCloserMs = 3000;
/** After this time the scheduler refreshes the target again, so that the refresh under the write block stays short. */
const refreshAgainMs = 60_000;

const freshMapping = {
  text: "the source's mapping has just changed, and the target lacks documents that may have brought the change",
  remedy: 'the next rounds take care of it, unless the mapping goes on changing',
};

type Preparing = MigrationIn<'PREPARING_TARGET'>;
type View = MigrationView<'PREPARING_TARGET'>;
type Result = Promise<StepResult<'PREPARING_TARGET'>>;

/**
 * PREPARING_TARGET: the target gets its own settings back and all its copies, while the replay goes on. The scheduler
 * does here everything that it can do before it stops writers.
 */
export async function preparingTarget(context: StepContext, view: View): Result {
  const { record } = view;
  const { source, target, signal } = context;
  const described = await Promise.all([source.state.describe({ signal }), target.state.describe({ signal })]);
  const failed = findFailure(view) ?? findChangedSettings(record, described[1]);
  if (failed !== undefined) return failMigration(context, record, failed);
  if (!record.targetRestored) return restoreSettings(context, view);
  if (!(await finishUndo(context, view))) return { type: 'waiting', wakeInMs: 0 };
  if (blockLandedLate(context, record) !== undefined && (await isSourceBlocked(context, record))) {
    // Another scheduler may have begun the next attempt since the record was read: that attempt's block must stay.
    const isLate = () => isStillUndone(context, record);
    if (!(await isLate())) return { type: 'waiting', wakeInMs: 0 };
    context.log.warn('write_block_late', 'a write block landed after it had been lifted: lifting it again');
    await liftBlock(context, record, isLate);
    return { type: 'waiting', wakeInMs: liftPollMs };
  }
  const unverified = await findUnverified(context, record);
  // A rehearsal only reports documents that are set aside, so it needs no consent.
  const withheld = (record.options.rehearse ? undefined : await findUnaccepted(view)) ?? unverified;
  const isHeldBack = decideGate(record, context.clock.now()).type !== 'open';
  const later = isHeldBack || withheld !== undefined ? withLaterDeadline(context, record) : undefined;
  if (later !== undefined) return changed(later);
  await ensureShardJobs(context, view);
  const blocked = findBlockedIndex(record, ...described);
  if (blocked !== undefined) return waitForGaps(context, record, blocked);
  const health = await target.state.waitForGreen(greenPollMs, { signal });
  const isGreen = health.status === 'green';
  if (!isGreen || isHeldBack || withheld !== undefined) await calm(context, record, described[1]);
  if (!isGreen) {
    const { blockNearSinceMillis, ...far } = record;
    // It may take hours until the target is green, so the block is not near, and rounds need no hurry.
    if (blockNearSinceMillis !== undefined) return changed(far);
    const index = `index [${record.targetIndex}]`;
    const why = async () => `${figuresOf(health)}; ${await explainHealth(context)}`;
    return waitOrFail(context, record, {
      reason: 'target',
      describe: async () => `${index} is not GREEN: ${await why()}`,
      late: async () =>
        `${index} did not reach GREEN within [${record.options.targetReadyTimeoutSeconds}s]; ${await why()}`,
    });
  }
  if (isHeldBack) return holdBack(context, view);
  if (withheld !== undefined) return waitForVerification(context, view, withheld);
  const unread = describeUnread(withUnreadKeys(view), record, context.clock.now());
  if (unread !== undefined) return waitPatiently(context, record, unread);
  if (!isNearBlock(context, record)) return comeNearBlock(context, record, described);
  const { obstacle, lacksWorkers, behind, lacking, shards } = await lookForObstacle(context, record);
  // `hurry` wakes each shard whose snapshot is older than the time at which the block came near, because the shard may
  // still rest for seconds. A shard with a newer snapshot has had a round since, and needs no hurry.
  const near = nearSince(record);
  const resting = behind.filter(({ snapshot }) => (snapshot?.openedAtMillis ?? 0) < near);
  await hurry(context, record, resting);
  if (obstacle !== undefined && lacksWorkers) return waitPatiently(context, record, obstacle);
  if (obstacle !== undefined) return waitForGaps(context, record, obstacle);
  if (resting.length > 0 && mayComeCloser(context, record)) return { type: 'waiting', wakeInMs: gapPollMs };
  const lost = await findLostSnapshots(context, shards);
  if (lost.length > 0) {
    await hurry(
      context,
      record,
      shards.filter(({ shard }) => lost.includes(shard)),
    );
    return waitForGaps(context, record, describeLost(lost));
  }
  const compared = await noteMappings(context, record, described, lacking);
  const latest = compared ?? record;
  const drift = findRefusedDrift(latest);
  if (drift !== undefined) return failMigration(context, latest, drift);
  if (awaitsFields(latest) && (record.options.failOnMappingDrift || mayComeCloser(context, latest))) {
    await hurry(context, record, lacking);
    return compared === undefined ? waitForGaps(context, record, freshMapping) : changed(compared);
  }
  if (record.options.rehearse === true) return waitForVerification(context, { ...view, record: latest });
  return changed(moveMigration(latest, 'CUTTING_OVER', context.clock.now()));
}

/**
 * When the block came near: the scheduler noted that in the record, or the migration came to this phase, whichever was
 * later.
 * @returns epoch milliseconds
 */
function nearSince({
  transitionHistory,
  blockNearSinceMillis = 0,
}: Pick<MigrationRecord, 'transitionHistory' | 'blockNearSinceMillis'>): number {
  return Math.max(transitionHistory.at(-1)?.startTimeMillis ?? 0, blockNearSinceMillis);
}

function isNearBlock({ clock }: StepContext, { blockNearSinceMillis }: MigrationRecord): boolean {
  return blockNearSinceMillis !== undefined && clock.now() - blockNearSinceMillis < refreshAgainMs;
}

/**
 * Refreshes the target, so that the refresh under the block has little left to do. The hurried rounds come after this
 * refresh, because applications go on writing during the refresh. A source with `async` durability needs a flush,
 * because otherwise its checkpoints stay behind. For any other source a flush would only cost the nodes seconds.
 */
async function comeNearBlock(context: StepContext, record: Preparing, described: Described): Result {
  const { source, signal, clock } = context;
  const [ofSource, ofTarget] = described;
  const noted = noteRefreshInterval(record, ofTarget);
  if (noted !== undefined) return changed(noted);
  const compared = await noteMappings(context, record, described);
  // Drift is stored at once, because the status shows it. Without drift the result is stored with the next change.
  if (compared?.mappingDrift !== undefined && compared.mappingDrift.length > 0) return changed(compared);
  const drift = findRefusedDrift(record);
  if (drift !== undefined) return failMigration(context, record, drift);
  const [late, obstacle] = await Promise.all([
    refreshAll(context, ofTarget),
    findSwapObstacle(context, record, ofSource),
    ofSource !== undefined && isAsync(ofSource.settings) ? source.state.flush({ signal }) : undefined,
  ]);
  if (obstacle !== undefined) return failMigration(context, record, obstacle);
  if (late.length === 0) return changed({ ...record, ...compared, blockNearSinceMillis: clock.now() });
  const what = `${describeLagging(late)}; ${lookAtCopies}`;
  const { targetIndex, options } = record;
  return waitOrFail(context, record, {
    reason: 'target',
    describe: () => what,
    late: () =>
      `index [${targetIndex}] was not ready within [${options.targetReadyTimeoutSeconds}s]: ${what}`,
  });
}

/**
 * Whether to wait for the hurried rounds: the fewer operations they leave, the shorter the write block is. The wait is
 * short, because with many writes each round leaves as many operations as the round before.
 */
function mayComeCloser({ clock }: StepContext, record: Preparing): boolean {
  const sinceMs = clock.now() - nearSince(record);
  // If `sinceMs` is negative, a clock was set back, and the scheduler does not wait for that clock.
  return sinceMs >= 0 && sinceMs < comeCloserMs;
}

function figuresOf({ status, activeShards, unassignedShards }: IndexHealth): string {
  return `status=${status.toUpperCase()}, active=${activeShards}, unassigned=${unassignedShards}`;
}

/** Why a copy of the target has no node, and what to do. */
async function explainHealth({ target, signal }: StepContext): Promise<string> {
  const why = await target.state.explainUnassigned({ signal });
  if (why === undefined) {
    return '_cat/recovery shows the copies that are being made, and _cluster/allocation/explain why one is not';
  }
  return `${why}. More nodes or room, another allocation setting, or a lower index.number_of_replicas help`;
}

/** Waits without a deadline: the target is not at fault for a missing worker, or for keys that no job has read yet. */
async function waitPatiently(context: StepContext, record: Preparing, { text, remedy }: Obstacle): Result {
  const later = withLaterDeadline(context, record);
  if (later !== undefined) return changed(later);
  return waitHeldUp(context, record, { reason: 'gap', describe: () => `${text}; ${remedy}` });
}

function waitForGaps(context: StepContext, record: Preparing, { text, remedy }: Obstacle): Result {
  context.log.debug('gaps_too_large', text);
  const seconds = record.options.targetReadyTimeoutSeconds;
  return waitOrFail(context, record, {
    reason: 'gap',
    describe: () => `${text}; ${remedy}`,
    late: () => `the source did not come close enough to its copy within [${seconds}s]: ${text}; ${remedy}`,
  });
}
