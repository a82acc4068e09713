import type { Snapshot } from '@aosc/contract';

/** A point in time on a shard of the target, of which the documents up to a number are looked at. */
export interface LinkedPart {
  readonly pitId: string;
  readonly upTo: number;
}

/**
 * What a round goes from: a snapshot of the source shard, or the documents that the target's shards have got with the files of
 * the source (`linked`). Those have the numbers that the source gave them.
 */
export interface DocumentView extends Snapshot {
  readonly linked?: readonly LinkedPart[];
}
