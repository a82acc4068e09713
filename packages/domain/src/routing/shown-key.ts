import { type IndexRoutingShape, shardOf } from './shard-of';

/** What OpenSearch stores and shows for half of a surrogate pair. Some keys hold it by themselves. */
const replacement = '\ufffd';

/** A document's key as a search shows it. */
interface ShownKey {
  readonly id: string;
  readonly routing: string | undefined;
}

/**
 * What the shard that delivers a document says about the key that a search shows of it.
 *
 * OpenSearch routes a write by the key that the application sends, and stores the key as UTF-8. Half of a surrogate pair,
 * which JSON can spell (`\ud83d`), has no form there: U+FFFD takes its place. So the key that is shown may lead to another
 * shard than the key that was sent.
 */
export type KeyEvidence =
  /** it leads to this shard, and stands for itself */
  | 'whole'
  /** it leads to this shard, but may stand for a key that was sent otherwise */
  | 'doubtful'
  /** it leads elsewhere: the application sent another key */
  | 'foreign';

/** @param shard that delivered the document */
export function evaluateKey(key: ShownKey, shard: number, source: IndexRoutingShape): KeyEvidence {
  if (source.shardCount > 1 && shardOf(key, source) !== shard) return 'foreign';
  return hasReplacement(key) ? 'doubtful' : 'whole';
}

/** Whether U+FFFD is in a key, whatever it stands for. */
export function hasReplacement({ id, routing }: ShownKey): boolean {
  return id.includes(replacement) || routing?.includes(replacement) === true;
}

/**
 * Whether a doubtful key may lead to another shard of this index than the key that was sent. A routing alone decides about
 * the shard, unless the index is partitioned.
 */
export function mayMislead(
  { id, routing }: ShownKey,
  { shardCount, partitionSize }: IndexRoutingShape,
): boolean {
  if (shardCount === 1) return false;
  if (partitionSize > 1 && id.includes(replacement)) return true;
  return (routing === undefined || routing === '' ? id : routing).includes(replacement);
}

/**
 * Whether the shard of the source alone tells a document's shard of the target: both cut one ring of routing shards, and
 * no shard of the source reaches over two of the target.
 */
export function tellsTargetShard(source: IndexRoutingShape, target: IndexRoutingShape): boolean {
  return (
    source.routingShardCount === target.routingShardCount &&
    source.partitionSize === target.partitionSize &&
    source.shardCount % target.shardCount === 0
  );
}
