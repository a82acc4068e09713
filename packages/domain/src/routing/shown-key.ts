import { type IndexRoutingShape, shardOf } from './shard-of';

/** What OpenSearch stores and shows for half of a surrogate pair. Some keys really contain this character. */
const replacement = '\ufffd';

/** A document's key as a search shows it. */
interface ShownKey {
  readonly id: string;
  readonly routing: string | undefined;
}

/**
 * What the shard that returned a document says about the key that a search shows of it.
 *
 * OpenSearch routes a write by the key that the application sends, and stores the key as UTF-8. Half of a surrogate
 * pair, which JSON can spell (`\ud83d`), has no form in UTF-8: U+FFFD takes its place. So the shown key may lead to
 * another shard than the sent one.
 */
export type KeyEvidence =
  /** it leads to this shard, and is the key that was sent */
  | 'whole'
  /** it leads to this shard, but the application may have sent another key */
  | 'doubtful'
  /** it leads elsewhere: the application sent another key */
  | 'foreign';

/** @param shard that returned the document */
export function evaluateKey(key: ShownKey, shard: number, source: IndexRoutingShape): KeyEvidence {
  if (source.shardCount > 1 && shardOf(key, source) !== shard) return 'foreign';
  return hasReplacement(key) ? 'doubtful' : 'whole';
}

/** Whether a key contains U+FFFD, for whatever reason. */
export function hasReplacement({ id, routing }: ShownKey): boolean {
  return id.includes(replacement) || routing?.includes(replacement) === true;
}

/**
 * Whether a doubtful key may lead to another shard of this index than the key that was sent. If there is a routing,
 * only it decides about the shard, unless the index is partitioned.
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
 * Whether a document's shard of the source determines its shard of the target: both cut one ring of routing shards, and
 * no shard of the source reaches over two of the target.
 */
export function determinesTargetShard(source: IndexRoutingShape, target: IndexRoutingShape): boolean {
  return (
    source.routingShardCount === target.routingShardCount &&
    source.partitionSize === target.partitionSize &&
    source.shardCount % target.shardCount === 0
  );
}
