import type { MigrationRecord, ShardRecord, WriteBlock } from '@aosc/contract';
import { isFailedShard, nodeIdOf, type NodeRun } from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import type { WriteTasks } from '../../ports/task-port';

/**
 * After the swap the scheduler waits this long for shards that have not ended (a worker of an earlier version of the
 * service still owns them), and for primaries of the source that do not answer.
 */
const closingMs = 10_000;
/** The clocks of two schedulers are taken to differ by no more than this. */
const clockMarginMs = 1000;

type ShardsEnd =
  | 'ended'
  /** a worker still owns a shard, or another process has just written the shard's record */
  | 'wait'
  /**
   * the wait is over: the scheduler takes the shards from their workers, because a missing worker must not delay the
   * end for ever. `guard` can close the snapshots after the end
   */
  | 'take_away';

/** A failed shard counts as ended: the swap came after its last round, so only the closing of snapshots has failed. */
export function decideShardsEnd(
  { cutoverContext }: Pick<MigrationRecord, 'cutoverContext'>,
  phases: readonly ShardRecord['phase'][],
  nowMillis: number,
): ShardsEnd {
  if (phases.every((phase) => phase === 'COMPLETED' || isFailedShard(phase))) return 'ended';
  return nowMillis - (cutoverContext?.cutoverEndMillis ?? 0) > closingMs ? 'take_away' : 'wait';
}

/** Writes that came to the source after its last operation was copied, as its primaries show them. */
type StrayWrites =
  | { readonly type: 'none' }
  | { readonly type: 'found' | 'unknown'; readonly text: string }
  /** a primary does not answer: it may be moving, and answer soon */
  | { readonly type: 'wait' };

/** Once the service has lifted its own block, clients may write to the old index, and no such write counts as stray. */
export function findStrayWrites(
  {
    finalSeqNos = {},
    cutoverContext,
    writeBlock,
  }: Pick<MigrationRecord, 'finalSeqNos' | 'cutoverContext' | 'writeBlock'>,
  checkpoints: readonly Pick<PrimaryCheckpoint, 'shard' | 'maxSeqNo'>[],
  nowMillis: number,
): StrayWrites {
  if (writeBlock?.lifted === true) return { type: 'none' };
  const late = checkpoints.find(({ shard, maxSeqNo }) => finalSeqNos[String(shard)] !== maxSeqNo);
  if (late !== undefined) {
    return {
      type: 'found',
      text:
        `source shard [${late.shard}] was written to after the swap: another client lifted the write block or writes past the ` +
        'alias. Those writes are not in the target',
    };
  }
  const answered = new Set(checkpoints.map(({ shard }) => String(shard)));
  const silent = Object.keys(finalSeqNos).find((shard) => !answered.has(shard));
  if (silent === undefined) return { type: 'none' };
  if (nowMillis - (cutoverContext?.cutoverEndMillis ?? 0) <= closingMs) return { type: 'wait' };
  return {
    type: 'unknown',
    text:
      `it is not known whether writes have reached source shard [${silent}] since the swap: its primary is away. Those ` +
      'writes would not be in the target',
  };
}

/** @returns the block to lift after the swap; undefined: the block stays, or there is none, or it is the user's own */
export function blockToLift({ writeBlock, options }: MigrationRecord): WriteBlock | undefined {
  if (writeBlock === undefined || writeBlock.usersOwn || writeBlock.lifted) return undefined;
  return options.removeSourceWriteBlockOnSuccess ? writeBlock : undefined;
}

/** Whether a listed write may still run: a node reports a write, or a member of the cluster has not answered. */
export function mayWritesRun({ running, answered }: WriteTasks, members: readonly NodeRun[]): boolean {
  return running.length > 0 || members.some((run) => !answered.includes(nodeIdOf(run)));
}

/**
 * How long a write from before the swap has run at least, in milliseconds: the time since the swap, less a margin for
 * clocks that differ. The search for such writes skips writes that have run for a shorter time. If the clock shows a
 * time long before the swap, the clock was set back, and the result is the margin: with 0 the search would find every
 * running write.
 */
export function sinceSwapMs(
  { cutoverContext }: Pick<MigrationRecord, 'cutoverContext'>,
  nowMillis: number,
): number {
  const sinceMs = nowMillis - (cutoverContext?.cutoverEndMillis ?? 0);
  return sinceMs < -clockMarginMs ? clockMarginMs : Math.max(0, sinceMs - clockMarginMs);
}

/**
 * For a cluster that does not allow `_tasks`: whether every write that is older than the swap has ended, because the
 * time-out of its request is over.
 */
export function hasTimedOut(
  { cutoverContext }: Pick<MigrationRecord, 'cutoverContext'>,
  nowMillis: number,
  requestTimeoutMs: number,
): boolean {
  return nowMillis - (cutoverContext?.cutoverEndMillis ?? nowMillis) >= requestTimeoutMs;
}
