import { type Call, ClusterError } from '@aosc/engine';
import { onAbort } from '@aosc/signals';

type Reject = (error: unknown) => void;

/** Attributes a request to the work that asked for it; the request may leave while another caller's code runs. */
export interface Attribution {
  /** The work that is running now. */
  remember(): unknown;
  /** Runs a request of one asker as a part of its work, and a shared request of several as part of none. */
  runFor<T>(askers: readonly unknown[], run: () => T): T;
}

/** Requests are not attributed to callers. */
export const toNobody: Attribution = { remember: () => undefined, runFor: (_askers, run) => run() };

interface Waiting<Q, A> {
  readonly asker: unknown;
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: Reject;
  hasGivenUp: boolean;
  /** called when the caller gives up while its request is in flight */
  onGiveUp: () => void;
}

export interface GatherLimits {
  /** At this many requests in flight the next callers wait for one of them to end, and share a request. */
  readonly maxUnderWay: number;
  /** A caller never waits longer than this for others, so a request that hangs holds no other caller up. */
  readonly longestWaitMs: number;
  /** questions in one request */
  readonly maxTogether: number;
}

/**
 * Lets several callers share their requests. A request leaves at once while few are in flight; callers that come
 * meanwhile share the next one. So a caller never gets what was read before it asked, and a lone caller does not wait.
 * A shared request ends early when all its callers have given up.
 * @param ask returns one answer for each question, in their order
 */
export function gather<Q, A>(
  attribution: Attribution,
  { maxUnderWay, longestWaitMs, maxTogether }: GatherLimits,
  ask: (questions: readonly Q[], signal: AbortSignal) => readonly Promise<A>[],
): (question: Q, call: Pick<Call, 'signal'>) => Promise<A> {
  let waiting: Waiting<Q, A>[] = [];
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  function leave(): void {
    clearTimeout(timer);
    timer = undefined;
    const leaving = waiting.slice(0, maxTogether);
    waiting = waiting.slice(maxTogether);
    if (leaving.length === 0) return;
    underWay += 1;
    void send(leaving).finally(() => {
      underWay -= 1;
      leave();
    });
    if (waiting.length > 0) expect();
  }

  function expect(): void {
    timer ??= setTimeout(leave, longestWaitMs);
  }

  async function send(leaving: readonly Waiting<Q, A>[]): Promise<void> {
    const controller = new AbortController();
    for (const each of leaving) {
      each.onGiveUp = () => {
        if (leaving.every(({ hasGivenUp }) => hasGivenUp)) controller.abort();
      };
    }
    let asked: readonly Promise<A>[];
    try {
      asked = askFor(leaving, attribution, (all) => ask(all, controller.signal));
    } catch (error) {
      for (const each of leaving) each.reject(error);
      return;
    }
    // Each caller gets its answer as soon as it is there; another's may take longer.
    await Promise.all(leaving.map((each, at) => (asked[at] ?? noAnswer()).then(each.resolve, each.reject)));
  }

  function join(question: Q, signal: AbortSignal, resolve: (answer: A) => void, reject: Reject): void {
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
    function giveUp(): void {
      own.hasGivenUp = true;
      waiting = waiting.filter((each) => each !== own);
      own.onGiveUp();
      own.reject(reasonOf(signal));
    }
    const forget = onAbort(signal, giveUp);
    waiting.push(own);
    if (underWay < maxUnderWay) setImmediate(leave);
    else expect();
  }

  return (question, { signal }) =>
    signal.aborted
      ? Promise.reject(reasonOf(signal))
      : new Promise((resolve, reject) => join(question, signal, resolve, reject));
}

/**
 * The answer of each question, from one shared answer.
 * @param all errors in it belong to single questions
 */
export function eachOf<A>(count: number, all: Promise<readonly (A | ClusterError)[]>): readonly Promise<A>[] {
  return Array.from({ length: count }, async (_, at) => answerAt(await all, at, count));
}

/** @throws ClusterError the question's own, or 'transient' when there is not one answer for each question */
export function answerAt<A>(answers: readonly (A | ClusterError)[], at: number, count: number): A {
  if (answers.length !== count) {
    throw new ClusterError('transient', `${answers.length} answers for ${count} questions`);
  }
  for (const answer of answers.slice(at, at + 1)) {
    if (answer instanceof ClusterError) throw answer;
    return answer;
  }
  throw new RangeError(`there is no question ${at} of ${count}`);
}

export function noAnswer(): Promise<never> {
  return Promise.reject(new ClusterError('transient', 'no answer to one of several questions'));
}

function reasonOf(signal: AbortSignal): ClusterError {
  return new ClusterError('aborted', 'the caller has given up', {}, { cause: signal.reason });
}

function askFor<Q, A>(
  leaving: readonly { readonly question: Q; readonly asker: unknown }[],
  attribution: Attribution,
  ask: (questions: readonly Q[]) => A,
): A {
  const askers = leaving.map(({ asker }) => asker);
  const questions = leaving.map(({ question }) => question);
  return attribution.runFor(askers, () => ask(questions));
}
