import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import { isCaughtUp, isReplayingPhase, isTerminalPhase } from '../phases';

/** Whether source and target of a migration can be compared: now, later (the cutover is under way), or never, for this reason. */
export function comparability({
  phase,
  sourceIndex,
  targetAtSwap,
}: Pick<MigrationRecord, 'phase' | 'sourceIndex' | 'targetAtSwap'>):
  'now' | 'later' | { readonly never: string } {
  if (phase === 'COMPLETED' && targetAtSwap === undefined) {
    return {
      never:
        'a version completed it that did not note where the target stood at the swap, so a difference can not be told from what ' +
        'applications wrote since',
    };
  }
  if (isReplayingPhase(phase) || phase === 'COMPLETED') return 'now';
  return isTerminalPhase(phase)
    ? { never: `the migration of [${sourceIndex}] is ${phase}, so its target is no copy` }
    : 'later';
}

/** The number up to which the target holds each operation of the source shard; -1: its copy is not whole. */
export function coveredSeqNo({ phase, snapshot, sweepPending, lastReplayedSeqNo }: ShardRecord): number {
  if (isCaughtUp(phase)) return lastReplayedSeqNo;
  const isCopied = phase === 'CONVERGING' || phase === 'CONVERGED';
  return isCopied && !sweepPending && snapshot !== undefined ? snapshot.checkpoint : -1;
}

/** Whether every shard has had its first copy and its first rounds: before, most of the target would be missing. */
export function isWholeCopy(shards: readonly Pick<ShardRecord, 'phase'>[]): boolean {
  return shards.every(({ phase }) => phase === 'CONVERGED' || isCaughtUp(phase));
}
