import { gather, onAbort } from '@aosc/signals';
import type { Call } from '../ports/call';
import type { ClusterPorts, IndexPorts } from '../ports/index-ports';

/**
 * Lets the shards of one index share the calls that concern the whole index: checkpoints and routing of its primaries,
 * flushes, and the cluster's members with the index's aliases. At most one call of a kind runs per index. Callers that
 * ask while a call runs share the next call, which begins afterwards: no caller gets an answer that is older than its
 * question.
 * @param signal of the process: a shared call must not end because one of its callers gives up
 * @param gathered a call waits for further callers until this resolves
 */
export function coalesceIndexCalls(
  cluster: Pick<ClusterPorts, 'index'>,
  signal: AbortSignal,
  gathered = shortly,
): (index: string) => IndexPorts {
  const shared = <T>(run: (index: IndexPorts) => Promise<T>) =>
    shareByKey((index) => run(cluster.index(index)), gathered);
  const checkpoints = shared(({ state }) => state.readCheckpoints({ signal }));
  const routing = shared(({ state }) => state.readRouting({ signal }));
  const flush = shared(({ state }) => state.flush({ signal }));
  const view = shared(({ index, cluster: own }) => own.readView(index, { signal }));
  return (index) => {
    const own = cluster.index(index);
    return {
      ...own,
      cluster: {
        ...own.cluster,
        readView: (asked, call) => (asked === index ? view(index, call) : own.cluster.readView(asked, call)),
      },
      state: {
        ...own.state,
        readCheckpoints: (call) => checkpoints(index, call),
        readRouting: (call) => routing(index, call),
        flush: (call) => flush(index, call),
      },
    };
  };
}

/** Lets callers that ask at the same time share one call. A caller never gets what was read before it asked. */
export function coalesceCall<T>(
  run: (call: Call) => Promise<T>,
  signal: AbortSignal,
  gathered = shortly,
): (call: Call) => Promise<T> {
  const shared = shareByKey(() => run({ signal }), gathered);
  return (call) => shared('', call);
}

/**
 * A call waits this long for further callers before it leaves. The shards of one index ask for the same call within a
 * millisecond or two of each other. A shard that asks after the call has left waits for one more call, and under the
 * write block applications wait with it.
 */
const gatherMs = 2;

function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, gatherMs));
}

function shareByKey<T>(run: (key: string) => Promise<T>, gathered: () => Promise<void>) {
  return gather<string, T>({ maxUnderWay: 1, keyOf: (key) => key, gathered }, (asked) => {
    const answer = run(asked[0]);
    return asked.map(() => answer);
  });
}

/** Rejects with the caller's reason when the caller gives up; the shared call goes on for its other callers. */
export function untilAborted<T>(shared: Promise<T>, { signal }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) giveUp();
    shared.then(resolve, reject).finally(onAbort(signal, giveUp));
  });
}
