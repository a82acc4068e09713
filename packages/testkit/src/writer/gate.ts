/**
 * What the writers pass between two batches. Open: they pass. Closed: they wait, and `close()` resolves when all of
 * them do. Stopped, once and for good: they end.
 */
export interface Gate {
  /** aborted by `stop()`: cuts the wait between two batches short */
  readonly stopping: AbortSignal;
  /** @returns false when the writer must end */
  pass(signal: AbortSignal): Promise<boolean>;
  open(): void;
  close(): Promise<void>;
  stop(): void;
  /** A writer has ended and is not waited for any more. */
  leave(): void;
}

/** @param writers number of writers that use the gate */
export function createGate(writers: number): Gate {
  const stop = new AbortController();
  let running = writers;
  let closed = false;
  let opened: (() => void)[] = [];
  let allWait: (() => void)[] = [];

  const notice = (): void => {
    if (opened.length < running) return;
    for (const resolve of allWait) resolve();
    allWait = [];
  };
  const open = (): void => {
    closed = false;
    for (const resolve of opened) resolve();
    opened = [];
  };
  return {
    stopping: stop.signal,
    pass: async (signal) => {
      while (closed && !stop.signal.aborted && !signal.aborted) {
        await new Promise<void>((resolve) => {
          opened.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
          notice();
        });
      }
      return !stop.signal.aborted && !signal.aborted;
    },
    open,
    close: () =>
      new Promise((resolve) => {
        closed = true;
        allWait.push(resolve);
        notice();
      }),
    stop: () => {
      stop.abort();
      open();
    },
    leave: () => {
      running -= 1;
      notice();
    },
  };
}
