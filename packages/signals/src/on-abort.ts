/** The listeners of a signal, and how to remove the only one that it really has. */
interface Waits {
  readonly listeners: Set<() => void>;
  readonly takeOff: () => void;
}

const waitsOf = new WeakMap<AbortSignal, Waits>();

/**
 * Calls `listener` once, when `signal` is aborted from now on. All waits on a signal share one listener: Node.js takes
 * the eleventh for a leak, and hundreds of requests may wait on one signal. A signal without waits keeps no listener
 * and can be collected.
 * @param listener of this wait only
 * @returns removes it; the caller must call it when the wait is over
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const waits = waitsOf.get(signal) ?? listen(signal);
  waits.listeners.add(listener);
  return () => {
    if (!waits.listeners.delete(listener) || waits.listeners.size > 0) return;
    waits.takeOff();
  };
}

function listen(signal: AbortSignal): Waits {
  const listeners = new Set<() => void>();
  const takeOff = (): void => {
    waitsOf.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
  function callAll(): void {
    takeOff();
    // Reads the set each time: a listener may end another wait.
    for (const each of listeners) {
      listeners.delete(each);
      each();
    }
  }
  signal.addEventListener('abort', callAll);
  const waits = { listeners, takeOff };
  waitsOf.set(signal, waits);
  return waits;
}
