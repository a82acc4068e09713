import type { MigrationRecord, ShardRecord } from '@aosc/contract';
import type { MigrationView } from '../step/context';
import type { Obstacle } from './cutover-obstacle';

/**
 * Shards of a split with document keys that no job has read yet. A split places documents by the keys that OpenSearch
 * shows. A shown key may differ from the key that applications send (see `checkKeys`): then no application would find
 * the document.
 */
export function withUnreadKeys({ shards }: Pick<MigrationView, 'shards'>): readonly ShardRecord[] {
  return shards
    .map(({ record }) => record)
    .filter(({ uncheckedKeysFrom }) => uncheckedKeysFrom !== undefined);
}

/**
 * Describes how many keys are still to be read. The estimate of the time left is based on the time that the phase has
 * taken.
 * @returns undefined: all keys are read
 */
export function describeUnread(
  unread: readonly ShardRecord[],
  { files, transitionHistory }: MigrationRecord,
  nowMillis: number,
): Obstacle | undefined {
  if (unread.length === 0) return undefined;
  const numbers = Object.values(files?.sources ?? {}).map(({ checkpoint }) => checkpoint + 1);
  const all = numbers.reduce((sum, each) => sum + each, 0);
  const left = unread.reduce(
    (sum, { shard, uncheckedKeysFrom = 0 }) =>
      sum + (files?.sources?.[String(shard)]?.checkpoint ?? -1) + 1 - uncheckedKeysFrom,
    0,
  );
  const sinceMs = nowMillis - (transitionHistory.at(-1)?.startTimeMillis ?? nowMillis);
  const seconds = Math.ceil((sinceMs * left) / Math.max(1, all - left) / 1000);
  const time = left < all && sinceMs > 0 ? `, about ${seconds} s are left` : '';
  const shards = `${numbers.length - unread.length} of ${numbers.length} shards`;
  return {
    text: `the keys of ${shards} are read: ${Math.floor((100 * (all - left)) / Math.max(1, all))} % of all${time}`,
    remedy: 'a split goes by keys as searches show them, so each is looked at: that ends by itself',
  };
}
