import { ClusterError, type StatePosition } from '@aosc/engine';
import type { OpenSearchClient } from './types';

/**
 * The newest cluster state that a client was shown. A cluster manager that was paused while another one was elected
 * believes in itself for a moment when it goes on, and answers with the state that it had. Committed states are
 * numbered by term and version and never go back, so an answer below the newest one is such an answer.
 */
export class NewestState {
  private newest: StatePosition | undefined;

  /** @returns undefined: none was shown yet */
  read(): StatePosition | undefined {
    return this.newest;
  }

  /** Another process has seen this state: nothing older counts from now on. */
  remember(seen: StatePosition): void {
    if (this.newest === undefined || !isOlder(seen, this.newest)) this.newest = seen;
  }

  /**
   * An answer that is older than the newest state, but not than what was known when it was asked for: another read has
   * come back meanwhile, and the answer may be from any node.
   */
  hasOvertaken(answered: StatePosition, seenBefore: StatePosition | undefined): boolean {
    if (this.newest === undefined || !isOlder(answered, this.newest)) return false;
    return seenBefore === undefined || !isOlder(answered, seenBefore);
  }

  /** @throws ClusterError 'transient' when the answer is older than what is known already */
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

/** States of different clusters have no order: whether the cluster is the right one is for others to judge. */
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
