/** Which of two documents that share one place in the target the source has right now. */
export interface LivePair {
  /** the one that is to be written */
  readonly ours: boolean;
  /** the one that lies in its place, of another source shard */
  readonly other: boolean;
}

export type MeetingDecision =
  /** the document has moved to us: the other one is deleted from the target, ours is written */
  | 'take_place'
  /** the document has moved away from us: the other one stays, and our next round finds ours deleted */
  | 'give_way'
  /** an application may write the new document before it deletes the old one; for good, only the operator can decide */
  | 'ask_again';

/**
 * What a shard does about a document of another source shard in the place of its own. Snapshots can't tell: those of two
 * shards are of different moments. The source as it is now can, because whatever it does not have any more is deleted by
 * its own shard's next round, and whatever it has is written by its own shard's.
 *
 * When both are gone the other one goes first: the caller's round ends as it should, and the next one deletes ours.
 */
export function decideMeeting({ ours, other }: LivePair): MeetingDecision {
  if (!other) return 'take_place';
  return ours ? 'ask_again' : 'give_way';
}
