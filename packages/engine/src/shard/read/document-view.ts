import type { Snapshot } from '@aosc/contract';

/** A point in time on a shard of the target, whose documents up to a number are read. */
export interface LinkedPart {
  readonly pitId: string;
  readonly upTo: number;
}

/**
 * Where a round begins: a snapshot of the source shard, or the documents that the target's shards got with the files of
 * the source (`linked`), which have the numbers of the source.
 */
export interface DocumentView extends Snapshot {
  readonly linked?: readonly LinkedPart[];
}
