import { ClusterError, type StatePosition } from '@aosc/engine';
import type { OpenSearchClient } from './request';

/**
 * The newest cluster state that a client has seen. When a cluster manager was paused while another one was elected, it
 * believes in itself for a moment after it resumes, and answers with its old state. Term and version of committed
 * states never go back, so an answer below the newest state comes from such a manager.
 */
export class NewestState {
  private newest: StatePosition | undefined;

  /** @returns undefined before the first state */
  read(): StatePosition | undefined {
    return this.newest;
  }

  /** Another process has seen this state: older states no longer count. */
  remember(seen: StatePosition): void {
    if (this.newest === undefined || !isOlder(seen, this.newest)) this.newest = seen;
  }

  /**
   * Whether an answer is older than the newest state, but not older than what was known when the request left: another
   * read has returned meanwhile, and the answer may be from any node.
   */
  hasOvertaken(answered: StatePosition, seenBefore: StatePosition | undefined): boolean {
    if (this.newest === undefined || !isOlder(answered, this.newest)) return false;
    return seenBefore === undefined || !isOlder(answered, seenBefore);
  }

  /** @throws ClusterError 'transient' when the answer is older than the newest known state */
  accept(answered: StatePosition): void {
    const { newest } = this;
    if (newest !== undefined && isOlder(answered, newest)) {
      throw new ClusterError(
        'transient',
        `the cluster state of term ${answered.term}, version ${answered.version} is older than one that was seen ` +
          `before (term ${newest.term}, version ${newest.version}): a node that was away has answered`,
      );
    }
    this.newest = answered;
  }
}

/** States of different clusters have no order; other code checks that the cluster is the right one. */
function isOlder(state: StatePosition, than: StatePosition): boolean {
  if (state.clusterUuid !== than.clusterUuid) return false;
  return state.term === than.term ? state.version < than.version : state.term < than.term;
}

const byClient = new WeakMap<OpenSearchClient, NewestState>();

/** One for each client: all ports of a process share what it has seen. */
export function newestStateOf(client: OpenSearchClient): NewestState {
  const known = byClient.get(client);
  if (known !== undefined) return known;
  const made = new NewestState();
  byClient.set(client, made);
  return made;
}
