import {
  evaluateKey,
  type IndexRoutingShape,
  mayMislead,
  shardOf,
  determinesTargetShard,
} from '@aosc/domain';
import type { AskedKey } from '@aosc/testkit';

/** What becomes of a document that was written under a key, if no transform touches it. */
export type KeyFate =
  /** its application finds it in the target */
  | 'kept'
  /** the migration fails, and names it */
  | 'named';

/** @param sent the key as the application sends it */
export function fateOf(sent: AskedKey, source: IndexRoutingShape, target: IndexRoutingShape): KeyFate {
  const key = shownKey(sent);
  const evidence = evaluateKey(key, shardOf(sent, source), source);
  if (evidence === 'whole') return 'kept';
  if (evidence === 'foreign') return 'named';
  return mayMislead(key, target) && !determinesTargetShard(source, target) ? 'named' : 'kept';
}

/** The key as a search shows it. */
export function shownKey({ id, routing }: AskedKey): AskedKey {
  return { id: id.toWellFormed(), routing: routing?.toWellFormed() };
}
