import type { Call } from './call';

export type AliasAction =
  | { readonly add: AliasDefinition }
  | { readonly remove: { readonly index: string; readonly alias: string; readonly must_exist?: boolean } };

/**
 * The properties of an alias as OpenSearch printed them, `{"filter":…,"index_routing":…}`. The service copies them as
 * text: parsing would round a number in a filter that is over 2^53, and make `1` of `1.0`.
 */
export interface AliasProperties {
  readonly json: string;
}

interface AliasDefinition {
  readonly index: string;
  readonly alias: string;
  readonly is_hidden?: boolean;
  readonly properties?: AliasProperties;
}

export type AliasUpdate =
  | { readonly type: 'acknowledged' }
  /** not every node has applied the change in time: it is committed, but a lagging node may not know it yet */
  | { readonly type: 'unacknowledged' }
  /** an alias with must_exist, or an index, is missing: nothing was changed */
  | { readonly type: 'missing'; readonly reason: string };

/** The aliases of a whole cluster: one update can move a name from one index to another. */
export interface AliasPort {
  /** Concrete indices an alias points at; empty when there is no such alias. */
  indicesOf(alias: string, call: Call): Promise<readonly string[]>;
  /** Whether a concrete index has this name: then no alias can have it. */
  isIndex(name: string, call: Call): Promise<boolean>;
  /** Does all of the actions or none. */
  update(actions: readonly AliasAction[], call: Call): Promise<AliasUpdate>;
}

/** Reads the aliases of one index; `AliasPort.update` changes them. */
export interface IndexAliasPort {
  /**
   * Names that match a wildcard pattern.
   * @throws ClusterError 'not_found' when there is no such concrete index
   */
  list(pattern: string, call: Call): Promise<readonly string[]>;
}
