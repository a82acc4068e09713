import { type Call, ClusterError } from '@aosc/engine';
import { onAbort } from '@aosc/signals';

type Reject = (error: unknown) => void;

/** Whose work a request is, which leaves when another caller's has come back. */
export interface Attribution {
  /** Who asks now. */
  remember(): unknown;
  /** Runs what one has asked for as a part of its work, and what several have asked for as nobody's. */
  runFor<T>(askers: readonly unknown[], run: () => T): T;
}

/** Nobody asks whose work a request is. */
export const toNobody: Attribution = { remember: () => undefined, runFor: (_askers, run) => run() };

interface Waiting<Q, A> {
  readonly asker: unknown;
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: Reject;
  hasGivenUp: boolean;
  /** told when the caller gives up while its request is under way */
  onGiveUp: () => void;
}

export interface GatherLimits {
  /** So many requests may be under way before the next callers wait for one of them, and go together. */
  readonly maxUnderWay: number;
  /** A caller never waits longer than this for the company of others: a request that hangs holds nobody else up. */
  readonly longestWaitMs: number;
  /** questions in one request */
  readonly maxTogether: number;
}

/**
 * Lets several callers share their requests. One leaves at once while few are under way; those who ask meanwhile go
 * together in the next one. So a caller never gets what was read before it asked, and one after another asks as before.
 * A shared request is ended when all who wait for it have given up.
 * @param ask gives one answer for each question, in their order
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
    // Each as soon as it is there: another one's may take its time.
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
 * The answer of each question, from one that has those of all.
 * @param all errors among them are those of single questions
 */
export function eachOf<A>(count: number, all: Promise<readonly (A | ClusterError)[]>): readonly Promise<A>[] {
  return Array.from({ length: count }, async (_, at) => answerAt(await all, at, count));
}

/** @throws ClusterError the question's own, or 'transient' when there is not one answer for each of them */
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
