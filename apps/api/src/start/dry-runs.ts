import { AoscError } from '@aosc/contract';

/** OpenSearch runs `_simulate` on its `management` threads, of which a node has five at the most. */
const maxRunning = 2;
const maxOfOne = 1;
const maxWaiting = 32;

/** Runs scripts on the cluster for starts, a few at once. */
export interface DryRuns {
  /**
   * @param caller counts for itself
   * @param run is not cut off when the wait for it is: a script can't be cancelled, and must count until it has ended
   * @throws AoscError rate_limited when too many run, also those whose callers have gone; illegal_argument when this
   *   one takes too long
   */
  run<T>(caller: string, run: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly caller: string;
  readonly enter: () => void;
}

/** @param waitMs how long a caller waits for its turn, and then again for the end of its run */
export function createDryRuns(waitMs: number): DryRuns {
  const running = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;

  const count = (caller: string, by: number): void => {
    all += by;
    const left = (running.get(caller) ?? 0) + by;
    if (left === 0) running.delete(caller);
    else running.set(caller, left);
  };
  const hasRoom = (caller: string): boolean => all < maxRunning && (running.get(caller) ?? 0) < maxOfOne;

  /** Counts the caller when it returns. */
  const turn = (caller: string): Promise<void> => {
    if (hasRoom(caller)) {
      count(caller, 1);
      return Promise.resolve();
    }
    if (waiting.size >= maxWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(one);
        reject(busy());
      }, waitMs);
      const enter = (): void => {
        clearTimeout(timer);
        waiting.delete(one);
        count(caller, 1);
        resolve();
      };
      const one = { caller, enter };
      waiting.add(one);
    });
  };
  const leave = (caller: string): void => {
    count(caller, -1);
    for (const one of waiting) if (hasRoom(one.caller)) one.enter();
  };

  return {
    async run(caller, run) {
      await turn(caller);
      return within(
        waitMs,
        run().finally(() => leave(caller)),
      );
    },
  };
}

function busy(): AoscError {
  return new AoscError(
    'rate_limited',
    'Another transform is being tried out, perhaps one of before whose script still runs in the cluster; try again',
  );
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new AoscError(
          'illegal_argument',
          `Transform script dry-run failed: it was not done within ${ms} ms. What runs in the cluster can't be cancelled; ` +
            'no other dry run of this credential begins before it has ended',
        ),
      );
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
