import { AoscError } from '@aosc/contract';
import { onAbort } from '@aosc/signals';

/** Lets requests for the same thing at the same moment share a read. It keeps nothing beyond the read. */
export interface SharedReads<T> {
  /**
   * Never returns the result of a read that had begun before the call: the caller that has just started a migration
   * must see it. So at most one read of each key runs and at most one waits, however many callers ask.
   * @param signal ends this caller's wait; the read ends when its last caller has stopped waiting
   * @throws AoscError unavailable when too many keys are read at once; all that the read throws
   */
  readonly read: (key: string, signal: AbortSignal) => Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly settle: (outcome: Promise<T>) => void;
  readonly abandoned: AbortController;
  waiting: number;
}

interface Line<T> {
  running: Flight<T>;
  next: Flight<T> | undefined;
}

/**
 * @param options.read bounded in time by itself; ends early when its signal fires
 * @param options.maxKeys keys that are read at once
 */
export function createSharedReads<T>(options: {
  readonly read: (key: string, signal: AbortSignal) => Promise<T>;
  readonly maxKeys: number;
}): SharedReads<T> {
  const lines = new Map<string, Line<T>>();

  function begin(key: string): Flight<T> {
    if (lines.size >= options.maxKeys) {
      throw new AoscError('unavailable', `${options.maxKeys} reads run at once already; try again`);
    }
    const line: Line<T> = { running: createFlight<T>(), next: undefined };
    lines.set(key, line);
    void fly(key, line);
    return line.running;
  }

  async function fly(key: string, line: Line<T>): Promise<void> {
    for (;;) {
      const { settle, result, abandoned } = line.running;
      // in a function of its own: when `read` throws at once, that is a failed read as well
      settle((async () => options.read(key, abandoned.signal))());
      await result.catch(() => undefined);
      if (line.next === undefined) break;
      line.running = line.next;
      line.next = undefined;
    }
    lines.delete(key);
  }

  function join(line: Line<T>): Flight<T> {
    line.next ??= createFlight<T>();
    return line.next;
  }

  function leave(key: string, flight: Flight<T>): void {
    flight.waiting -= 1;
    if (flight.waiting > 0) return;
    flight.abandoned.abort(new Error('no caller waits for this read any more'));
    const line = lines.get(key);
    if (line?.next === flight) line.next = undefined;
  }

  return {
    async read(key, signal) {
      signal.throwIfAborted();
      const line = lines.get(key);
      const flight = line === undefined ? begin(key) : join(line);
      flight.waiting += 1;
      return untilAborted(flight.result, signal, () => leave(key, flight));
    },
  };
}

function createFlight<T>(): Flight<T> {
  let settle: (outcome: Promise<T>) => void = () => undefined;
  const result = new Promise<T>((resolve) => (settle = resolve));
  // The waiting callers get the failure. When all have left, the failure has no reader and must not count as unhandled.
  result.catch(() => undefined);
  return { result, settle, abandoned: new AbortController(), waiting: 0 };
}

function untilAborted<T>(shared: Promise<T>, signal: AbortSignal, onLeave: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      onLeave();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    shared.then(resolve, reject).finally(onAbort(signal, giveUp));
  });
}
