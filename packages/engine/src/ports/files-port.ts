import type { Call } from './call';
import type { SettingValue } from './settings-port';

/** How an index is made of another one's files. */
interface ResizeRequest {
  /** name of the index whose files are linked; it takes no writes at that moment */
  readonly source: string;
  /** as many shards, or more */
  readonly kind: 'clone' | 'split';
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** hidden alias that the new index is born with */
  readonly alias: string;
}

/** What of an index is being merged. */
interface Merging {
  /** a merge that a client has asked for has not ended */
  readonly isAskedFor: boolean;
  /** in merges that take a good part of their shard, deleted documents included; small ones never end under writes */
  readonly documents: number;
}

/** An index as a whole: made of another one's files, and removed. */
export interface FilesPort {
  /**
   * Its shards may still have to start afterwards.
   * @returns `exists`: there is an index of the name, made by any client
   * @throws ClusterError 'invalid' when the cluster refuses to make such an index
   */
  resize(request: ResizeRequest, call: Call): Promise<'created' | 'exists'>;
  /**
   * Removes the index by its name alone: the caller has looked whose it is. An index that is gone already counts as
   * removed.
   */
  remove(call: Call): Promise<void>;
  /**
   * Has the deleted documents of all shards merged away, apart from segments that are being merged already. The cluster
   * goes on with a merge whose client has gone, and ends one at once that has nothing to do.
   * @returns `running`: it has not ended within a second
   */
  expungeDeletes(call: Call): Promise<'ended' | 'running'>;
  readMerging(call: Call): Promise<Merging>;
}
