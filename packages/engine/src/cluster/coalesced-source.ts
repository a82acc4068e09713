import type { Call } from '../ports/call';
import type { SourcePort } from '../ports/source-port';

/**
 * Lets the shards of one index share the index-wide calls of a round. A caller never gets the result of a call
 * that had begun before it asked: it joins the next one. So at most one call of a kind runs per index, and at
 * most one waits.
 * @param signal of the process: a shared call must not end because one of its callers gives up
 */
export function coalesceIndexCalls(source: SourcePort, signal: AbortSignal): SourcePort {
  const checkpoints = coalesce((index) => source.readCheckpoints(index, { signal }));
  const routing = coalesce((index) => source.readRouting(index, { signal }));
  const refresh = coalesce((index) => source.refresh(index, { signal }));
  const flush = coalesce((index) => source.flush(index, { signal }));
  return {
    ...source,
    readCheckpoints: (index, call) => untilAborted(checkpoints(index), call),
    readRouting: (index, call) => untilAborted(routing(index), call),
    refresh: (index, call) => untilAborted(refresh(index), call),
    flush: (index, call) => untilAborted(flush(index), call),
  };
}

interface Shared<T> {
  running: Promise<T> | undefined;
  next: Promise<T> | undefined;
}

function coalesce<T>(run: (index: string) => Promise<T>): (index: string) => Promise<T> {
  const byIndex = new Map<string, Shared<T>>();
  return (index) => {
    const shared = byIndex.get(index) ?? { running: undefined, next: undefined };
    byIndex.set(index, shared);
    if (shared.running === undefined) return start(index, shared);
    const begin = (): Promise<T> => {
      shared.next = undefined;
      return start(index, shared);
    };
    shared.next ??= shared.running.then(begin, begin);
    return shared.next;
  };

  function start(index: string, shared: Shared<T>): Promise<T> {
    const running = run(index).finally(() => {
      if (shared.running === running) shared.running = undefined;
      if (shared.running === undefined && shared.next === undefined) byIndex.delete(index);
    });
    shared.running = running;
    return running;
  }
}

/** Rejects with the caller's reason when the caller gives up; the shared call goes on for the others. */
function untilAborted<T>(shared: Promise<T>, { signal }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
