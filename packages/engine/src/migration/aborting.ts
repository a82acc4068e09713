import {
  blockAlias,
  committedAlias,
  fencePattern,
  fencePrefix,
  isOpaqueIdOf,
  isTerminalShardPhase,
  moveMigration,
  moveShard,
  type NodeRun,
  revokeWriter,
  setupAlias,
  tokenAlias,
  transformPipelineName,
} from '@aosc/domain';
import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isClusterError, isIndexMissing } from '../ports/cluster-error';
import { failCounters } from '../shard/counters';
import { drainBulks } from '../shard/drain';
import { afterClosing, pitIdsToClose, wasLateClosed } from '../shard/late-closes';
import { retryAllocations } from '../shard/snapshot-lease';
import { changed, type CoordinatorContext, type MigrationView, type StepResult, waiting } from './context';
import { holdsBlock } from './block-watch';
import { takeToken } from './commit';
import { isSourceBlocked } from './late-block';
import { liftBlock, liftPollMs } from './lift-block';
import { restoreTarget } from './restore-target';

/**
 * CANCELLING and FAILING: first the token, so that no swap can happen any more; then the write block, because
 * applications wait for it; then everything else. Each part finds out by itself what is left to do.
 */
export async function aborting(context: CoordinatorContext, view: MigrationView): Promise<StepResult> {
  const { record } = view;
  const { clock } = context;
  if (!record.tokenTaken) return takeTokenFirst(context, record);
  if (holdsBlock(record)) return endBlock(context, record, record.writeBlock);
  if (await isBlockedAnew(context, record)) return { type: 'waiting', wakeInMs: liftPollMs };
  const stopped = await stopShards(context, view);
  if (!stopped) return waiting;
  const notRestored = await restoreTarget(context, record);
  const phase = record.phase === 'FAILING' ? 'FAILED' : 'CANCELLED';
  return changed({
    ...moveMigration(withNotRestored(record, notRestored), phase, clock.now()),
    guardUntilMillis: clock.now() + context.timing.guardMs,
  });
}

async function takeTokenFirst(context: CoordinatorContext, record: MigrationRecord): Promise<StepResult> {
  try {
    const outcome = await takeTokenOfExistingTarget(context, record);
    if (outcome === 'taken') return changed({ ...record, tokenTaken: true });
  } catch (error) {
    if (!isRefusedForGood(error) || record.commitRequested || !holdsBlock(record)) throw error;
    // The target takes no changes: its disk is full, or somebody has blocked it. The token keeps a swap from landing
    // after the block is gone, and none was ever sent: that it is going to be is written down before. So applications
    // need not wait until somebody has helped the target.
    return endBlock(context, record, record.writeBlock);
  }
  context.log.warn('abort_too_late', 'the alias had already been swapped: the migration completes');
  return changed({ ...moveMigration(record, 'COMPLETING', context.clock.now()), commitRequested: true });
}

function isRefusedForGood(error: unknown): boolean {
  return isClusterError(error, 'blocked', 'forbidden', 'invalid');
}

async function endBlock(
  context: CoordinatorContext,
  record: MigrationRecord,
  block: NonNullable<MigrationRecord['writeBlock']>,
): Promise<StepResult> {
  if (!(await liftBlock(context, record))) return { type: 'waiting', wakeInMs: liftPollMs };
  context.metrics.writeBlockEnded((context.clock.now() - block.requestedAtMillis) / 1000);
  return changed({ ...record, writeBlock: { ...block, lifted: true } });
}

/**
 * A request for the block that was under way when it was lifted has landed since. What is left of the abort can wait
 * for minutes, and no other migration can have blocked the source yet.
 * @returns whether it could not be lifted again so far
 */
async function isBlockedAnew(context: CoordinatorContext, record: MigrationRecord): Promise<boolean> {
  const { writeBlock } = record;
  if (writeBlock === undefined || writeBlock.usersOwn) return false;
  if (!(await isSourceBlocked(context, record))) return false;
  context.log.warn('write_block_late', 'a write block landed after it had been lifted: lifting it again');
  return !(await liftBlock(context, record));
}

/** The reason of the end stays the first that is read. */
export function withNote(record: MigrationRecord, note: string | undefined): MigrationRecord {
  if (note === undefined) return record;
  const { errorMessage } = record;
  return { ...record, errorMessage: errorMessage === undefined ? note : `${errorMessage}; ${note}` };
}

/** Named in the reason of the end, and kept apart, so that it can go when the guard has had more luck. */
export function withNotRestored(record: MigrationRecord, note: string | undefined): MigrationRecord {
  return note === undefined ? record : { ...withNote(record, note), notRestored: note };
}

/** A target that is gone can't be swapped to: the token is as good as taken. */
async function takeTokenOfExistingTarget(
  context: CoordinatorContext,
  record: MigrationRecord,
): Promise<'taken' | 'committed'> {
  try {
    return await takeToken(context, record);
  } catch (error) {
    if (isIndexMissing(error)) return 'taken';
    throw error;
  }
}

/**
 * Takes every shard away from its worker, closes the fences, waits until no bulk of the migration runs, and
 * closes the snapshots. Needs no live worker.
 */
async function stopShards(context: CoordinatorContext, view: MigrationView): Promise<boolean> {
  const { record } = view;
  if (!(await endShards(context, view))) return false;
  await removeOurNames(context, record);
  const nodes = nodesInDoubt(view);
  await drainBulks(
    context,
    {
      index: record.targetIndex,
      matches: (opaqueId) => isOpaqueIdOf(opaqueId, record.key),
      isClosed: (aliases) => !aliases.some((alias) => alias.startsWith(fencePrefix(record.key))),
      nodes: () => nodes,
    },
    context.signal,
  );
  return closeSnapshots(context, record);
}

/** Runs of nodes that may hold a bulk. */
function nodesInDoubt({ shards }: MigrationView): readonly NodeRun[] {
  const inDoubt = shards.map(({ record }) => record).filter(isInDoubt);
  return [...new Set(inDoubt.flatMap(({ writer }) => writer.nodes ?? []))];
}

/** A shard that was handed back, and was not taken away from anybody, was so with every outcome known. */
function isInDoubt({ writer }: ShardRecord): boolean {
  return writer.owner !== undefined || !writer.fenceReady;
}

/**
 * Takes every shard that has not ended away from its worker. What they hold is listed to be closed.
 * @returns false when one of them has just been written by its worker: to be asked again
 */
export async function endShards(
  { store, signal, clock }: CoordinatorContext,
  { record: migration, shards }: MigrationView,
): Promise<boolean> {
  for (const stored of shards) {
    if (isTerminalShardPhase(stored.record.phase)) continue;
    try {
      await store.replaceShard(stored, endShard(stored.record, migration.committed, clock.now()), { signal });
    } catch (error) {
      if (isClusterError(error, 'conflict')) return false;
      throw error;
    }
  }
  return true;
}

/** The failed shard ends FAILED, the others CANCELLED; after the swap one whose work is done ends COMPLETED. */
export function endShard(record: ShardRecord, committed: boolean, nowMillis: number): ShardRecord {
  const { snapshot, nextSnapshot, ...rest } = revokeWriter(record);
  const pits = [snapshot?.pitId, nextSnapshot?.pitId].filter((id) => id !== undefined);
  const closingPitIds = [...record.closingPitIds, ...pits];
  // A later pass of the abort can't tell a shard that was in doubt from one that was not, but by its nodes.
  const writer = isInDoubt(record) ? rest.writer : { ...rest.writer, nodes: [] };
  const ended = failCounters({ ...rest, writer, closingPitIds }, nowMillis);
  if (committed && record.phase === 'COMPLETING') return moveShard(ended, 'COMPLETED', nowMillis);
  return moveShard(ended, record.phase === 'FAILING' ? 'FAILED' : 'CANCELLED', nowMillis);
}

/** Takes away what carries the migration's own name: fences, token, pipeline, the mark of the write block. */
export async function removeOurNames(context: CoordinatorContext, record: MigrationRecord): Promise<void> {
  const { admin, signal } = context;
  const { key } = record;
  if (record.transform !== undefined) {
    await admin.deletePipeline(transformPipelineName(key), { signal });
  }
  await removeAliases(context, record.targetIndex, [
    fencePattern(key),
    tokenAlias(key),
    setupAlias(key),
    committedAlias(key),
  ]);
  await removeAliases(context, record.sourceIndex, [blockAlias(key)]);
}

async function removeAliases(
  { admin, signal }: CoordinatorContext,
  index: string,
  patterns: readonly string[],
): Promise<void> {
  try {
    const found = await Promise.all(patterns.map((pattern) => admin.listAliases(index, pattern, { signal })));
    const actions = found.flat().map((alias) => ({ remove: { index, alias, must_exist: false } }));
    if (actions.length > 0) await admin.updateAliases(actions, { signal });
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
  }
}

/**
 * Closes what the shard records list as no longer needed. What is on a node that is away stays listed, and nobody waits
 * for it: the guard tries again. When such a one is closed at last, allocations are tried again.
 * @returns false: to be asked again
 */
export async function closeSnapshots(context: CoordinatorContext, record: MigrationRecord): Promise<boolean> {
  const { store, source, signal, clock } = context;
  const shards = await store.readShards(record.key, record.sourceShardCount, { signal });
  let wasLate = false;
  for (const stored of shards) {
    const ids = pitIdsToClose(stored.record);
    if (ids.length === 0) continue;
    try {
      const left = await source.closeSnapshots(ids, { signal });
      wasLate ||= wasLateClosed(stored.record, left);
      await store.replaceShard(stored, afterClosing(stored.record, ids, left, clock.now()), { signal });
    } catch (error) {
      if (isClusterError(error, 'conflict')) return false;
      throw error;
    }
  }
  if (wasLate) await retryAllocations(context, signal);
  return true;
}
