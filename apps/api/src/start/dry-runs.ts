import { AoscError } from '@aosc/contract';

/**
 * OpenSearch runs `_simulate` on its `management` threads, of which a node has five at the most, and counts on its
 * `search` threads, which everybody's searches share.
 */
const maxRunning = 2;
const maxOfOne = 1;
const maxWaiting = 32;
/** What is held for longer keeps out its own caller alone: two that never end would keep out everybody. */
const heldForAllMs = 10 * 60_000;

/** Runs on the cluster what starts bring along, scripts or queries, a few at once. */
export interface DryRuns {
  /**
   * @param caller counts for itself
   * @param run counts until it has ended, also when the wait for it is over: a script can't be cancelled. What can be is
   *   told by the signal; with `hold` it counts on until that promise settles, although its caller knows how it ended
   * @throws AoscError rate_limited when too many run, also those whose callers have gone; illegal_argument when this
   *   one takes too long
   */
  run<T>(caller: string, run: (waitIsOver: AbortSignal, hold: Hold) => Promise<T>): Promise<T>;
}

type Hold = (until: Promise<unknown>) => void;

/** What callers are told. */
interface Reasons {
  readonly busy: string;
  readonly tooLong: (ms: number) => string;
}

const reasonsOf = {
  transform: {
    busy: 'Another transform is being tried out, perhaps one of before whose script still runs in the cluster; try again',
    tooLong: (ms) =>
      `Transform script dry-run failed: it was not done within ${ms} ms. What runs in the cluster can't be cancelled; ` +
      'no other dry run of this credential begins before it has ended',
  },
  query: {
    busy: 'Another validation_query is being tried out, perhaps one of before that still runs in the cluster; try again',
    tooLong: (ms) =>
      `validation_query failed: the counts were not done within ${ms} ms, and at the cutover writes wait for them`,
  },
} satisfies Readonly<Record<string, Reasons>>;

interface Waiting {
  readonly caller: string;
  readonly enter: () => void;
}

/** @param waitMs how long a caller waits for its turn, and then again for the end of its run */
export function createDryRuns(waitMs: number, what: keyof typeof reasonsOf = 'transform'): DryRuns {
  const reasons: Reasons = reasonsOf[what];
  const places = createPlaces(waitMs, () => new AoscError('rate_limited', reasons.busy));
  return {
    async run(caller, run) {
      await places.enter(caller);
      const over = new AbortController();
      const held: Promise<unknown>[] = [];
      const end = (): void => {
        if (held.length === 0) places.leave(caller);
        else places.leaveAfter(caller, held);
      };
      return within(
        waitMs,
        () => {
          const error = new AoscError('illegal_argument', reasons.tooLong(waitMs));
          over.abort(error);
          return error;
        },
        run(over.signal, (until) => held.push(until)).finally(end),
      );
    },
  };
}

interface Places {
  /** Counts the caller when it returns. */
  enter(caller: string): Promise<void>;
  leave(caller: string): void;
  /** It keeps its place among its caller's as long as it takes, and among all for a while. */
  leaveAfter(caller: string, held: readonly Promise<unknown>[]): void;
}

function createPlaces(waitMs: number, busy: () => AoscError): Places {
  const running = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;

  const countOf = (caller: string, by: number): void => {
    const left = (running.get(caller) ?? 0) + by;
    if (left === 0) running.delete(caller);
    else running.set(caller, left);
  };
  const count = (caller: string, by: number): void => {
    all += by;
    countOf(caller, by);
  };
  const hasRoom = (caller: string): boolean => all < maxRunning && (running.get(caller) ?? 0) < maxOfOne;
  const letNextEnter = (): void => {
    for (const one of waiting) if (hasRoom(one.caller)) one.enter();
  };

  return {
    enter(caller) {
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
    },
    leave(caller) {
      count(caller, -1);
      letNextEnter();
    },
    leaveAfter(caller, held) {
      let countsForAll = true;
      const leaveAll = (): void => {
        if (!countsForAll) return;
        countsForAll = false;
        all -= 1;
      };
      const timer = setTimeout(() => {
        leaveAll();
        letNextEnter();
      }, heldForAllMs).unref();
      void Promise.allSettled(held).then(() => {
        clearTimeout(timer);
        countOf(caller, -1);
        leaveAll();
        letNextEnter();
      });
    },
  };
}

function within<T>(ms: number, giveUp: () => AoscError, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(giveUp()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
