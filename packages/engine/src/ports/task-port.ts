import type { Call } from './call';

/** What `_tasks` says of writes, or of searches. */
export interface WriteTasks {
  /** the tasks that were asked for and have not ended */
  readonly running: readonly string[];
  /** ids of the nodes that answered: a node that is out of the cluster is not even asked */
  readonly answered: readonly string[];
}

/** Which writes to an index the caller asks for. */
interface WritesAsked {
  /**
   * An alias that was taken from the index. A write that names the alias may still go to the index if the write began
   * before that: such a write has run for at least `runningForMs`.
   */
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
