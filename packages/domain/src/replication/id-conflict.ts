/** Which of two documents that share one place in the target exist in the source right now. */
export interface LivePair {
  /** the document that the shard wants to write */
  readonly ours: boolean;
  /** the document in its place, of another source shard */
  readonly other: boolean;
}

export type MeetingDecision =
  /** the document has moved to us: delete the other one from the target and write ours */
  | 'take_place'
  /** the document has moved away from us: leave the other one; our next round finds ours deleted */
  | 'give_way'
  /**
   * an application may write the new document before it deletes the old one; if both stay, only the operator can decide
   */
  | 'ask_again';

/**
 * What a shard does about a document of another source shard in the place of its own. The snapshots can't decide: those
 * of two shards are of different moments. The current source can: if it no longer has a document, that document's shard
 * deletes it in its next round; if it has one, that document's shard writes it.
 *
 * When both are gone the other one goes first: our round ends as it should, and our next one deletes ours.
 */
export function decideMeeting({ ours, other }: LivePair): MeetingDecision {
  if (!other) return 'take_place';
  return ours ? 'ask_again' : 'give_way';
}
