import { onAbort } from './on-abort';

/** Attributes a request to the work that asked for it; the request may leave while another caller's code runs. */
export interface Attribution {
  /** The work that is running now. */
  remember(): unknown;
  /** Runs a request of one asker as a part of its work, and a shared request of several as part of none. */
  runFor<T>(askers: readonly unknown[], run: () => T): T;
}

/** Requests are not attributed to callers. */
export const toNobody: Attribution = { remember: () => undefined, runFor: (_askers, run) => run() };

export interface GatherOptions<Q> {
  /** At this many requests in flight the next callers wait for one of them to end, and share a request. */
  readonly maxUnderWay: number;
  /**
   * A caller never waits longer than this for others, so that a request that hangs holds no other caller up. Left out where
   * one answer is for all, and a second request would only cost.
   */
  readonly longestWaitMs?: number;
  /** questions in one request */
  readonly maxTogether?: number;
  /** the same for questions that can share a request; left out: all can */
  readonly keyOf?: (question: Q) => string;
  /** at most so many keys at once, and with what a question about another key is refused; left out: callers bound them */
  readonly maxKeys?: { readonly most: number; readonly refusal: () => Error };
  /** resolves when a request that could leave need not wait for further company */
  readonly gathered?: () => Promise<void>;
  /** left out: requests are not attributed to callers */
  readonly attribution?: Attribution;
  /** what a caller gets that has given up; left out: its signal's reason */
  readonly gaveUp?: (signal: AbortSignal) => Error;
}

/** At least one question. */
export type Group<Q> = readonly [Q, ...Q[]];

/** Returns one answer for each question, in their order. @param signal aborted when all their callers have given up */
type Ask<Q, A> = (questions: Group<Q>, signal: AbortSignal) => readonly Promise<A>[];

interface Waiting<Q, A> {
  readonly asker: unknown;
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
  hasGivenUp: boolean;
  /** called when the caller gives up while its request is in flight */
  onGiveUp: () => void;
}

interface Lane<Q, A> {
  waiting: Waiting<Q, A>[];
  underWay: number;
  isLeaving: boolean;
  timer?: NodeJS.Timeout | undefined;
}

const thisTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets several callers share their requests. A request leaves at once while few are in flight; callers that come
 * meanwhile share the next one. So a caller never gets what was read before it asked, and a lone caller does not wait.
 * A shared request ends early when all its callers have given up.
 */
// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function gather<Q, A>(
  options: GatherOptions<Q>,
  ask: Ask<Q, A>,
): (question: Q, call: { readonly signal: AbortSignal }) => Promise<A> {
  const { maxUnderWay, longestWaitMs, maxTogether, maxKeys, attribution = toNobody } = options;
  const { keyOf = () => '', gathered = thisTurn, gaveUp = reasonOf } = options;
  const lanes = new Map<string, Lane<Q, A>>();

  function expect(key: string, lane: Lane<Q, A>): void {
    if (lane.waiting.length === 0) {
      if (lane.underWay === 0) lanes.delete(key);
    } else if (lane.underWay < maxUnderWay) {
      if (lane.isLeaving) return;
      lane.isLeaving = true;
      void gathered().then(() => {
        lane.isLeaving = false;
        leave(key, lane);
      });
    } else if (longestWaitMs !== undefined) {
      lane.timer ??= setTimeout(() => leave(key, lane), longestWaitMs);
    }
  }

  function leave(key: string, lane: Lane<Q, A>): void {
    clearTimeout(lane.timer);
    lane.timer = undefined;
    const leaving = lane.waiting.splice(0, maxTogether ?? lane.waiting.length);
    const [first, ...others] = leaving;
    if (first !== undefined) {
      lane.underWay += 1;
      void send([first, ...others]).finally(() => {
        lane.underWay -= 1;
        // Those who wait have gathered meanwhile, except where an answer makes several ask on.
        (options.gathered === undefined ? leave : expect)(key, lane);
      });
    }
    expect(key, lane);
  }

  async function send([first, ...others]: Group<Waiting<Q, A>>): Promise<void> {
    const leaving = [first, ...others];
    const controller = new AbortController();
    for (const each of leaving) {
      each.onGiveUp = () => {
        if (leaving.every(({ hasGivenUp }) => hasGivenUp)) controller.abort();
      };
    }
    const questions: Group<Q> = [first.question, ...others.map(({ question }) => question)];
    const askers = leaving.map(({ asker }) => asker);
    let asked: readonly Promise<A>[];
    try {
      asked = attribution.runFor(askers, () => ask(questions, controller.signal));
    } catch (error) {
      for (const each of leaving) each.reject(error);
      return;
    }
    // Each caller gets its answer as soon as it is there; another's may take longer.
    await Promise.all(leaving.map((each, at) => (asked[at] ?? noAnswer()).then(each.resolve, each.reject)));
  }

  function join(
    question: Q,
    signal: AbortSignal,
    resolve: (answer: A) => void,
    reject: (error: unknown) => void,
  ) {
    const key = keyOf(question);
    const lane = lanes.get(key) ?? { waiting: [], underWay: 0, isLeaving: false };
    lanes.set(key, lane);
    const forget = onAbort(signal, () => {
      own.hasGivenUp = true;
      lane.waiting = lane.waiting.filter((each) => each !== own);
      own.onGiveUp();
      reject(gaveUp(signal));
    });
    const own: Waiting<Q, A> = {
      asker: attribution.remember(),
      question,
      resolve: (answer) => {
        forget();
        resolve(answer);
      },
      reject: (error) => {
        forget();
        reject(error);
      },
      hasGivenUp: false,
      onGiveUp: () => undefined,
    };
    lane.waiting.push(own);
    expect(key, lane);
  }

  return (question, { signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(gaveUp(signal));
      else if (maxKeys && lanes.size >= maxKeys.most && !lanes.has(keyOf(question)))
        reject(maxKeys.refusal());
      else join(question, signal, resolve, reject);
    });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

const noAnswer = (): Promise<never> => Promise.reject(new Error('no answer to one of several questions'));
