import { AoscError } from '@aosc/contract';

/** OpenSearch runs `_simulate` on its `management` threads, of which a node has five at the most. */
const most = 2;
const mostOfOne = 1;

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

/** @param waitMs how long a caller waits for one */
export function createDryRuns(waitMs: number): DryRuns {
  const running = new Map<string, number>();
  let all = 0;

  const count = (caller: string, by: number): void => {
    all += by;
    const left = (running.get(caller) ?? 0) + by;
    if (left === 0) running.delete(caller);
    else running.set(caller, left);
  };

  return {
    async run(caller, run) {
      if (all >= most || (running.get(caller) ?? 0) >= mostOfOne) {
        throw new AoscError(
          'rate_limited',
          'A transform is being tried out already, perhaps one of before whose script still runs in the cluster; try again',
        );
      }
      count(caller, 1);
      const ended = run().finally(() => count(caller, -1));
      return within(waitMs, ended);
    },
  };
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
