import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { isInDoubt, type NodeRun, runsOf } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import { holdsBlock } from '../step/block-watch';
import type { MigrationView } from '../step/context';

/** What an abort does next. */
type AbortStep =
  /** so that no swap can happen any more */
  | { readonly type: 'take_token' }
  /** comes before the rest, because applications wait for the end of the block */
  | { readonly type: 'lift_block'; readonly block: WriteBlock }
  | { readonly type: 'undo' };

export function decideAbort(record: MigrationRecord): AbortStep {
  if (!record.tokenTaken) return { type: 'take_token' };
  return holdsBlock(record) ? { type: 'lift_block', block: record.writeBlock } : { type: 'undo' };
}

/**
 * The block, if the abort may lift it although it could not take the commit token.
 *
 * Usually the abort takes the token first, so that no swap can land after the block is gone. But the target may take no
 * changes, because its disk is full or a user has blocked it. Then the abort lifts the block first if no scheduler has
 * ever sent a swap, so applications need not wait until an operator has repaired the target. A scheduler writes
 * `commitRequested` into the record before it sends a swap, so the record shows whether a swap was sent.
 * @param error of the attempt to take the token
 * @returns undefined: the token comes first
 */
export function blockBeforeToken(record: MigrationRecord, error: unknown): WriteBlock | undefined {
  const isRefusedForGood = isClusterError(error, 'blocked', 'forbidden', 'invalid');
  return isRefusedForGood && !record.commitRequested && holdsBlock(record) ? record.writeBlock : undefined;
}

/** Whether a request for the service's block can land after the block was lifted. */
export function mayBlockLate({ writeBlock }: MigrationRecord): boolean {
  return writeBlock !== undefined && !writeBlock.usersOwn;
}

/**
 * Runs of nodes that may still carry out a bulk. A run is a node's process: a node that was restarted holds none of its
 * old bulks.
 */
export function nodesInDoubt({ shards }: Pick<MigrationView, 'shards'>): readonly NodeRun[] {
  return runsOf(shards.map(({ record }) => record).filter(isInDoubt));
}
