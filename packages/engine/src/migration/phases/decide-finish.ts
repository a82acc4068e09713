import type { MigrationRecord, ShardRecord, WriteBlock } from '@aosc/contract';
import { isFailedShard, nodeIdOf, type NodeRun } from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import type { WriteTasks } from '../../ports/task-port';

/** Time for the nodes to close what the shards hold, and for workers of an earlier version to do it. */
const closingMs = 10_000;
/** Schedulers' clocks differ. */
const clockMarginMs = 1000;

type ShardsEnd =
  | 'ended'
  /** a worker still owns one, or has written it at the same moment */
  | 'wait'
  /** only snapshots are left to close, which the guard can do as well: the end waits for no worker for ever */
  | 'take_away';

/** A shard that fails now fails in closing what it held: its documents were all there before the swap. */
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
  /** a primary does not answer: it may move, and be back soon */
  | { readonly type: 'wait' };

export function findStrayWrites(
  { finalSeqNos = {}, cutoverContext }: Pick<MigrationRecord, 'finalSeqNos' | 'cutoverContext'>,
  checkpoints: readonly Pick<PrimaryCheckpoint, 'shard' | 'maxSeqNo'>[],
  nowMillis: number,
): StrayWrites {
  const late = checkpoints.find(({ shard, maxSeqNo }) => finalSeqNos[String(shard)] !== maxSeqNo);
  if (late !== undefined) {
    return {
      type: 'found',
      text:
        `source shard [${late.shard}] was written to after the swap: another client lifted the write block or writes past the ` +
        'alias. Those writes are not in the target',
    };
  }
  const told = new Set(checkpoints.map(({ shard }) => String(shard)));
  const silent = Object.keys(finalSeqNos).find((shard) => !told.has(shard));
  if (silent === undefined) return { type: 'none' };
  if (nowMillis - (cutoverContext?.cutoverEndMillis ?? 0) <= closingMs) return { type: 'wait' };
  return {
    type: 'unknown',
    text:
      `it is not known whether writes have reached source shard [${silent}] since the swap: its primary is away. Those ` +
      'writes would not be in the target',
  };
}

/** @returns the block to lift after the swap; undefined: it stays, or there is none of ours */
export function blockToLift({ writeBlock, options }: MigrationRecord): WriteBlock | undefined {
  if (writeBlock === undefined || writeBlock.usersOwn || writeBlock.lifted) return undefined;
  return options.removeSourceWriteBlockOnSuccess ? writeBlock : undefined;
}

/** Whether a write that is older than the swap can still run: a node reports one, or a member has not answered. */
export function mayWritesRun({ running, answered }: WriteTasks, members: readonly NodeRun[]): boolean {
  return running.length > 0 || members.some((run) => !answered.includes(nodeIdOf(run)));
}

/**
 * How long ago the swap was, or a little less. After a clock was set back the result is so small that no write that
 * could be older than the swap is left out.
 */
export function sinceSwapMs(
  { cutoverContext }: Pick<MigrationRecord, 'cutoverContext'>,
  nowMillis: number,
): number {
  const sinceMs = nowMillis - (cutoverContext?.cutoverEndMillis ?? 0);
  return sinceMs < 0 ? clockMarginMs : Math.max(0, sinceMs - clockMarginMs);
}

/** Whether a write that is older than the swap has ended by its request's time-out, where `_tasks` does not answer. */
export function hasTimedOut(
  { cutoverContext }: Pick<MigrationRecord, 'cutoverContext'>,
  nowMillis: number,
  requestTimeoutMs: number,
): boolean {
  return nowMillis - (cutoverContext?.cutoverEndMillis ?? nowMillis) >= requestTimeoutMs;
}
