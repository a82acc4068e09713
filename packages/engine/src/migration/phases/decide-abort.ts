import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import type { NodeRun } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import { isInDoubt } from '../cleanup/end-shards';
import { holdsBlock } from '../step/block-watch';
import type { MigrationView } from '../step/context';

/** What an abort does next. Each step finds out by itself what is left of it. */
type AbortStep =
  /** so that no swap can happen any more */
  | { readonly type: 'take_token' }
  /** applications wait for it */
  | { readonly type: 'lift_block'; readonly block: WriteBlock }
  /** everything else */
  | { readonly type: 'undo' };

export function decideAbort(record: MigrationRecord): AbortStep {
  if (!record.tokenTaken) return { type: 'take_token' };
  return holdsBlock(record) ? { type: 'lift_block', block: record.writeBlock } : { type: 'undo' };
}

/**
 * The block that may be lifted although the token could not be taken: the target takes no changes (its disk is full, or
 * a user has blocked it), and the scheduler never sent a swap, which it writes down before it sends one. So
 * applications need not wait until the operator has helped the target. The token keeps a swap from landing after the
 * block is gone.
 * @param error of the attempt to take the token
 * @returns undefined: the token comes first
 */
export function blockBeforeToken(record: MigrationRecord, error: unknown): WriteBlock | undefined {
  const isRefusedForGood = isClusterError(error, 'blocked', 'forbidden', 'invalid');
  return isRefusedForGood && !record.commitRequested && holdsBlock(record) ? record.writeBlock : undefined;
}

/** Whether a request for the block can land after it was lifted. */
export function mayBlockLate({ writeBlock }: MigrationRecord): boolean {
  return writeBlock !== undefined && !writeBlock.usersOwn;
}

/** Runs of nodes that may hold a bulk. */
export function nodesInDoubt({ shards }: Pick<MigrationView, 'shards'>): readonly NodeRun[] {
  const inDoubt = shards.map(({ record }) => record).filter(isInDoubt);
  return [...new Set(inDoubt.flatMap(({ writer }) => writer.nodes ?? []))];
}
