import type { Call } from './call';

/** What `_tasks` tells of writes, or of searches. */
export interface WriteTasks {
  /** those asked for that have not ended */
  readonly running: readonly string[];
  /** ids of the nodes that have told theirs: a node that is out of the cluster is not even asked */
  readonly answered: readonly string[];
}

/** An alias that has been taken from the index that is asked about. */
export interface MovedAlias {
  readonly alias: string;
  /** tasks that are younger have begun after that */
  readonly runningForMs: number;
}

/** Writes that are still running. @throws ClusterError 'forbidden' where `_tasks` is not allowed */
export interface TaskPort {
  /** The tasks of bulks whose `X-Opaque-Id` satisfies the predicate, whatever index of the cluster they go to. */
  listBulks(matches: (opaqueId: string) => boolean, call: Call): Promise<WriteTasks>;
  /**
   * Writes to this index that are still running anywhere (bulk, index, delete, update), by task description.
   * @param moved one that names this alias may go to the index, too, if it has run for so long
   */
  listWrites(call: Call, moved?: MovedAlias): Promise<WriteTasks>;
}
