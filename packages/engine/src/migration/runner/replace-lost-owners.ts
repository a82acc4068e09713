import {
  countLostOwner,
  describeGivenUp,
  failShard,
  findWaiting,
  findWaitingReason,
  isGivenUp,
  isTerminalPhase,
  jobOfShardPhase,
  evaluateOwner,
  replaceWait,
  revokeWriter,
  waitsForWorkers,
} from '@aosc/domain';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { accessShard, writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import {
  changed,
  type Liveness,
  type MigrationView,
  type StepContext,
  type StepResult,
} from '../step/context';
import { stopsWrites } from '../step/block-watch';
import { countWorkers } from '../step/count-workers';
import { readPrimaryNodes } from '../step/shard-jobs';

/**
 * Takes shards from owners that show no life or make no progress (`aosc.liveness.*`), and notes in the record when the
 * migration waits because no worker or no permit is there. While the service holds or blocks writers, `checkOwners`
 * does neither: a new owner would take too long, and the attempt ends by the time limits of hold and block.
 * @returns the changed record; `again` when shards changed and must be read again; undefined: nothing to do
 */
export async function checkOwners(
  context: StepContext,
  view: MigrationView,
): Promise<StepResult | 'again' | undefined> {
  const { liveness } = context;
  const { record } = view;
  if (liveness === undefined || isTerminalPhase(record.phase)) return undefined;
  for (const stored of view.shards) liveness.watch.look(stored);
  if (!needsWorkers(record)) return undefined;
  const isDue = liveness.watch.isDue(record.key, liveness.settings().checkIntervalMs);
  if (isDue && (await replaceLostOwners(context, liveness, view))) return 'again';
  // While the record shows such a wait, each step looks again, so that the status soon shows the end of the wait.
  return isDue || findWaiting(record, 'owners') !== undefined
    ? updateWaiting(context, liveness, view)
    : undefined;
}

function needsWorkers(record: MigrationRecord): boolean {
  return !stopsWrites(record) && record.targetPrepared && waitsForWorkers(record.phase);
}

async function replaceLostOwners(
  context: StepContext,
  liveness: Liveness,
  { record, shards }: MigrationView,
): Promise<boolean> {
  let wasChanged = false;
  let primaryNodes: Promise<ReadonlyMap<number, string>> | undefined;
  const readNodesOnce = () => (primaryNodes ??= readPrimaryNodes(context));
  for (const stored of shards) {
    if (await replaceLostOwner(context, liveness, record, stored, readNodesOnce)) wasChanged = true;
  }
  return wasChanged;
}

/** @returns whether the shard was changed */
async function replaceLostOwner(
  context: StepContext,
  liveness: Liveness,
  migration: MigrationRecord,
  first: Stored<ShardRecord>,
  readNodes: () => Promise<ReadonlyMap<number, string>>,
): Promise<boolean> {
  const { store, signal } = context;
  let judged: Judged | undefined;
  const written = await writeFound(accessShard(store, first.record, signal), first, (stored) => {
    // After a conflict `evaluateShard` judges the newer record. The conflict alone does not prove that the owner works,
    // because an owner that hangs still renews its heartbeat.
    judged = evaluateShard(context, liveness, stored);
    return judged?.after;
  });
  if (written === undefined || judged === undefined) return false;
  judged.report();
  if (judged.after.phase !== 'FAILING') await queueAgain(context, judged.after, await readNodes());
  return true;
}

interface Judged {
  readonly after: ShardRecord;
  /** logs and counts the loss, once the record is written */
  readonly report: () => void;
}

/** @returns the shard without its owner, or failed; undefined: there is nothing to change */
function evaluateShard(
  { clock, log, timing }: StepContext,
  { watch, settings, onOwnerLost }: Liveness,
  stored: Stored<ShardRecord>,
): Judged | undefined {
  const { record } = stored;
  if (jobOfShardPhase[record.phase] === undefined) return undefined;
  const { timeoutMs } = settings();
  const observation = watch.look(stored);
  const verdict = evaluateOwner(observation, { timeoutMs, requestTimeoutMs: timing.requestTimeoutMs });
  const lost = verdict === 'alive' ? record : countLostOwner(record, verdict);
  const report = (): void => {
    if (verdict === 'alive') return;
    onOwnerLost(verdict);
    log.warn('owner_replaced', explanations[verdict], {
      shard: record.shard,
      silentMs: Math.round(observation.silentMs),
      unansweredMs: observation.idleMs === undefined ? undefined : Math.round(observation.idleMs),
      lostInARow: lost.ownersLost?.count,
    });
  };
  // A shard fails only after it has lost an owner. If a worker has taken the shard over, that worker has counted the
  // loss already, as 'silent'.
  const wasLost = verdict !== 'alive' || lost.ownersLost?.last === 'silent';
  if (wasLost && isGivenUp(lost, observation.unchangedMs, timeoutMs)) {
    const reason = describeGivenUp(lost, timeoutMs);
    return { after: failShard(revokeWriter(lost), reason, clock.now()), report };
  }
  return verdict === 'alive' ? undefined : { after: revokeWriter(lost), report };
}

const explanations = {
  silent: "the shard's worker shows no life: another one may have the shard",
  stuck: "the shard's worker lives, but gets no answer to its work: another one may have the shard",
} as const;

/** Queues a second job, because `ensureShardJobs` adds none while the lost owner's job is still in the queue. */
async function queueAgain(
  { jobs }: StepContext,
  shard: ShardRecord,
  primaryNodes: ReadonlyMap<number, string>,
): Promise<void> {
  const kind = jobOfShardPhase[shard.phase];
  const nodeId = primaryNodes.get(shard.shard);
  if (kind === undefined || nodeId === undefined) return;
  await jobs.replaceShardJob(kind, shard.key, { shard: shard.shard, nodeId });
}

async function updateWaiting(
  { clock, log }: StepContext,
  liveness: Liveness,
  { record, shards }: MigrationView,
): Promise<StepResult | undefined> {
  const workers = await countWorkers(liveness, log);
  if (workers === undefined) return undefined;
  const { permits } = liveness.settings();
  const reason = findWaitingReason(
    shards.map((shard) => shard.record),
    { workers, permits },
  );
  if (reason === findWaiting(record, 'owners')?.reason) return undefined;
  if (reason === undefined) {
    log.info('waiting_over', 'the migration goes on');
    return changed({ ...record, waits: replaceWait(record.waits, 'owners', undefined) });
  }
  const text = reasons[reason];
  log.warn('waiting', text, { waitingFor: reason });
  const found = { reason, sinceMillis: clock.now(), text };
  return changed({ ...record, waits: replaceWait(record.waits, 'owners', found) });
}

const reasons = {
  worker: 'no worker takes jobs: the migration waits until one is started',
  permit: 'aosc.backfill.max_concurrent_per_node is 0: the migration waits until it is raised',
} as const;
