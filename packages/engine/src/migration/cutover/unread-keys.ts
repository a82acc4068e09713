import type { ShardRecord } from '@aosc/contract';
import type { MigrationView } from '../step/context';
import type { Obstacle } from './cutover-obstacle';

/** Shards of a split whose untouched documents' keys are still read: one of them may lie where no application looks for it. */
export function withUnreadKeys({ shards }: Pick<MigrationView, 'shards'>): readonly ShardRecord[] {
  return shards
    .map(({ record }) => record)
    .filter(({ uncheckedKeysFrom }) => uncheckedKeysFrom !== undefined);
}

/** Rounds need not be hurried before that. @returns undefined: nothing is left */
export function describeUnread(unread: readonly ShardRecord[]): Obstacle | undefined {
  const [first, ...others] = unread;
  if (first === undefined) return undefined;
  const { shard, uncheckedKeysFrom = 0, snapshot } = first;
  const read = `its keys are read up to _seq_no ${uncheckedKeysFrom} of ${snapshot?.maxSeqNo ?? 'unknown'}`;
  return {
    text: `shard [${shard}]: ${read}; ${others.length} more shards have keys left`,
    remedy: 'a split goes by keys as searches show them, so each is looked at: that ends by itself',
  };
}
