import type { Call } from './call';

/** What `_tasks` tells of writes, or of searches. */
export interface WriteTasks {
  /** those asked for that have not ended */
  readonly running: readonly string[];
  /** ids of the nodes that have told theirs: a node that is out of the cluster is not even asked */
  readonly answered: readonly string[];
}

/** Which of the writes to an index are asked for. */
export interface WritesAsked {
  /** those that have run for so long; left out: all */
  readonly runningForMs?: number;
  /** An alias that has been taken from the index: what names it may go to the index, too, if it has run for so long. */
  readonly moved?: { readonly alias: string; readonly runningForMs: number };
}

/** Writes that are still running. @throws ClusterError 'forbidden' where `_tasks` is not allowed */
export interface TaskPort {
  /** The tasks of bulks whose `X-Opaque-Id` satisfies the predicate, whatever index of the cluster they go to. */
  listBulks(matches: (opaqueId: string) => boolean, call: Call): Promise<WriteTasks>;
  /**
   * Writes to this index that are still running anywhere (bulk, index, delete, update), by task description.
   */
  listWrites(call: Call, asked?: WritesAsked): Promise<WriteTasks>;
}
