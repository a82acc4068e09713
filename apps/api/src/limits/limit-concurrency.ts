/** Runs a few tasks at once and lets a few more wait in turn. */
export interface Limiter {
  /** @returns undefined when too many wait already: the task was not run */
  run<T>(task: () => Promise<T>): Promise<T> | undefined;
}

export function createLimiter(maxRunning: number, maxWaiting: number): Limiter {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = (): Promise<void> => {
    if (running < maxRunning) {
      running += 1;
      return Promise.resolve();
    }
    // The one that ends hands its place over: `running` stays as it is.
    return new Promise((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  const inTurn = async <T>(task: () => Promise<T>): Promise<T> => {
    await turn();
    try {
      return await task();
    } finally {
      leave();
    }
  };
  return {
    run: (task) => (running >= maxRunning && waiting.length >= maxWaiting ? undefined : inTurn(task)),
  };
}
