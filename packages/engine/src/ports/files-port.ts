import type { Call } from './call';
import type { SettingValue } from './settings-port';

/** How an index is made of the files of another index. */
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
  /**
   * documents, deleted ones included, in merges that take a good part of their shard; smaller merges never stop under
   * writes, and do not count
   */
  readonly documents: number;
}

/** Calls about all files of one index. */
export interface FilesPort {
  /**
   * Makes this index of the files of another index. The shards may still have to start afterwards.
   * @returns `exists`: there is an index of the name, made by any client
   * @throws ClusterError 'invalid' when the cluster refuses to make such an index
   */
  resize(request: ResizeRequest, call: Call): Promise<'created' | 'exists'>;
  /**
   * Removes the index by its name alone, so the caller must know that it is the right index. An index that is gone
   * already counts as removed.
   */
  remove(call: Call): Promise<void>;
  /**
   * Has the deleted documents of all shards merged away, apart from segments that are being merged already. A merge
   * goes on after its client has gone, and ends at once if it has nothing to do.
   * @returns `running`: the merge has not ended within a second
   */
  expungeDeletes(call: Call): Promise<'ended' | 'running'>;
  readMerging(call: Call): Promise<Merging>;
}
