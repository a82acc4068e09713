import { onAbort } from '@aosc/signals';
import type { Call } from '../ports/call';
import type { ClusterPorts, IndexPorts } from '../ports/index-ports';

/** The indices of a cluster, whose index-wide calls are shared by all shards of the process. */
export interface CoalescedIndices {
  /** One that is copied from: each round of each shard refreshes it, and asks where its primaries stand. */
  source(index: string): IndexPorts;
  /**
   * One that is written to: of it the looks at its primaries, and at its aliases and the members, are shared. A shard
   * rarely refreshes it.
   */
  target(index: string): IndexPorts;
}

/**
 * Lets the shards of one index share the index-wide calls of a round. A caller never gets the result of a call
 * that had begun before it asked: it joins the next one. So at most one call of a kind runs per index, and at
 * most one waits. One begins when those who ask at about the same moment have asked.
 * `gather` of `@aosc/opensearch` keeps the same promise for questions that differ: there a request that hangs must not hold
 * up other questions, so several are under way; here the answer is one for all, so a second request would only cost.
 * @param signal of the process: a shared call must not end because one of its callers gives up
 * @param gathered resolves when a call need not wait for further company
 */
export function coalesceIndexCalls(
  cluster: Pick<ClusterPorts, 'index'>,
  signal: AbortSignal,
  gathered = shortly,
): CoalescedIndices {
  const shared = <T>(run: (index: string) => Promise<T>) => coalesce(run, gathered);
  const checkpoints = shared((index) => cluster.index(index).state.readCheckpoints({ signal }));
  const routing = shared((index) => cluster.index(index).state.readRouting({ signal }));
  const refresh = shared((index) => cluster.index(index).state.refresh({ signal }));
  const view = shared((index) => {
    const { cluster: own } = cluster.index(index);
    return own.readView(index, { signal });
  });
  const flush = shared((index) => cluster.index(index).state.flush({ signal }));

  function target(index: string): IndexPorts {
    const own = cluster.index(index);
    return {
      ...own,
      cluster: {
        ...own.cluster,
        readView: (asked, call) =>
          asked === index ? untilAborted(view(index), call) : own.cluster.readView(asked, call),
      },
      state: {
        ...own.state,
        readCheckpoints: (call) => untilAborted(checkpoints(index), call),
        readRouting: (call) => untilAborted(routing(index), call),
      },
    };
  }

  return {
    target,
    source(index) {
      const looked = target(index);
      return {
        ...looked,
        state: {
          ...looked.state,
          refresh: (call) => untilAborted(refresh(index), call),
          flush: (call) => untilAborted(flush(index), call),
        },
      };
    },
  };
}

/** Lets all who ask at the same time share one call. As above, a caller never gets what was read before it asked. */
export function coalesceCall<T>(
  run: (call: Call) => Promise<T>,
  signal: AbortSignal,
  gathered = shortly,
): (call: Call) => Promise<T> {
  const shared = coalesce(() => run({ signal }), gathered);
  return (call) => untilAborted(shared(''), call);
}

interface Shared<T> {
  running: Promise<unknown> | undefined;
  /** The call that follows the running one. Everybody who asks before it begins gets its answer. */
  next: Promise<T> | undefined;
}

/**
 * What the shards of one index ask for are answers to requests that ended within a millisecond or two of each other. One that
 * comes too late for a call waits until that has its answer: as long as a round trip, and under the write block.
 */
const gatherMs = 2;

function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, gatherMs));
}

function coalesce<T>(
  run: (index: string) => Promise<T>,
  gathered: () => Promise<void>,
): (index: string) => Promise<T> {
  const byIndex = new Map<string, Shared<T>>();
  return (index) => {
    const shared = byIndex.get(index) ?? { running: undefined, next: undefined };
    byIndex.set(index, shared);
    shared.next ??= begin(index, shared);
    return shared.next;
  };

  async function begin(index: string, shared: Shared<T>): Promise<T> {
    // Its callers hear of a failure themselves.
    await shared.running?.catch(() => undefined);
    // An answer that several have waited for makes each of them ask on: they go together.
    await gathered();
    shared.next = undefined;
    const running = run(index).finally(() => {
      shared.running = undefined;
      if (shared.next === undefined) byIndex.delete(index);
    });
    shared.running = running;
    return running;
  }
}

/** Rejects with the caller's reason when the caller gives up; the shared call goes on for the others. */
export function untilAborted<T>(shared: Promise<T>, { signal }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) giveUp();
    shared.then(resolve, reject).finally(onAbort(signal, giveUp));
  });
}
