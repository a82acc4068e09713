import type { Call, ClusterError, Stored } from '@aosc/engine';

export type StoredDocument = Stored<unknown>;

/**
 * One page of a search: documents as of the last refresh. A caller that needs their current state reads them again in
 * real time.
 */
export interface SearchAnswer {
  readonly documents: readonly StoredDocument[];
  /** all that match, not only the page */
  readonly total: number;
  readonly aggregations: unknown;
}

/**
 * All calls of the store, which go only to `.aosc-migrations`. For a read a missing index means "nothing found". A lost
 * compare-and-set is ClusterError('conflict'), and so is a `create` of what exists.
 */
export interface DocumentIndex {
  /** Creates the index, or adds to an existing one what its mapping lacks. */
  ensure(call: Call): Promise<void>;
  /** Realtime. */
  get(id: string, call: Call): Promise<StoredDocument | undefined>;
  /** Realtime, in the order of the ids. */
  getMany(ids: readonly string[], call: Call): Promise<readonly (StoredDocument | undefined)[]>;
  /** {@link getMany} without the documents' contents. */
  getPositions(ids: readonly string[], call: Call): Promise<readonly (Position | undefined)[]>;
  create(id: string, body: object, refresh: boolean, call: Call): Promise<Position>;
  /**
   * Several of {@link create} in one request, each with an outcome of its own, in their order.
   * @throws when the request fails as a whole
   */
  createMany(
    creations: readonly DocumentCreation[],
    call: Call,
  ): Promise<readonly (Position | ClusterError)[]>;
  replace(id: string, before: Position, body: object, refresh: boolean, call: Call): Promise<Position>;
  /**
   * Several of {@link replace} in one request, each with an outcome of its own, in their order.
   * @throws when the request fails as a whole
   */
  replaceMany(
    writes: readonly DocumentReplacement[],
    call: Call,
  ): Promise<readonly (Position | ClusterError)[]>;
  remove(id: string, before: Position, call: Call): Promise<void>;
  search(body: object, call: Call): Promise<SearchAnswer>;
}

interface DocumentCreation {
  readonly id: string;
  readonly body: object;
}

export interface DocumentReplacement extends DocumentCreation {
  readonly before: Position;
}

/** The version that a compare-and-set expects. */
export type Position = Omit<Stored<unknown>, 'record'>;
