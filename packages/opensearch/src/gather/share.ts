import { type Call, ClusterError, isClusterError } from '@aosc/engine';
import { gather, type GatherOptions, type Group, timeLimit } from '@aosc/signals';

/** Answers questions of several callers: each has its own answer, or its own error. */
export type Answers<A> = Promise<readonly (A | ClusterError)[]>;

/** A request that several questions share. */
export interface SharedRequest<Q, A> extends Omit<GatherOptions<Q>, 'gaveUp'> {
  /**
   * How long a shared request may keep all its questions waiting, be it slow or stuck on a node: then each question
   * gets a request of its own, with the full time of a request. Left out: `together` bounds itself.
   */
  readonly patienceMs?: number;
  readonly together: (questions: Group<Q>, signal: AbortSignal) => Answers<A>;
  readonly alone: (question: Q, signal: AbortSignal) => Promise<A>;
  /** whether a request that failed as a whole is repeated one by one; left out: unless the cluster is overloaded */
  readonly mayRepeat?: (error: ClusterError) => boolean;
}

/** Lets callers share requests as {@link gather} does. A caller that gives up gets a ClusterError. */
export function gatherCalls<Q, A>(
  options: Omit<GatherOptions<Q>, 'gaveUp'>,
  ask: Parameters<typeof gather<Q, A>>[1],
) {
  const gaveUp = ({ reason }: AbortSignal): Error =>
    new ClusterError('aborted', 'the caller has given up', {}, { cause: reason });
  return gather<Q, A>({ ...options, gaveUp }, ask);
}

/**
 * Asks several questions in one request. If that fails as a whole, each question gets a request of its own, so that no
 * caller fails or waits because of another.
 */
export function share<Q, A>(
  request: SharedRequest<Q, A>,
): (question: Q, call: Pick<Call, 'signal'>) => Promise<A> {
  const { patienceMs, together, alone, mayRepeat = ({ kind }) => kind !== 'overload' } = request;
  return gatherCalls(request, (questions, signal) => {
    if (questions.length === 1) return [alone(questions[0], signal)];
    const patience = patienceMs === undefined ? signal : timeLimit(patienceMs, signal);
    const shared = together(questions, patience);
    return questions.map(async (question, at) => {
      try {
        await shared;
      } catch (error) {
        if (signal.aborted || !isClusterError(error) || !mayRepeat(error)) throw error;
        return alone(question, signal);
      }
      return answerAt(await shared, at, questions.length);
    });
  });
}

/** The answer of each question, from one shared answer. */
export function eachOf<A>(count: number, all: Answers<A>): readonly Promise<A>[] {
  return Array.from({ length: count }, async (_, at) => answerAt(await all, at, count));
}

/** @throws ClusterError the question's own, or 'transient' when there is not one answer for each question */
function answerAt<A>(answers: readonly (A | ClusterError)[], at: number, count: number): A {
  if (answers.length !== count) {
    throw new ClusterError('transient', `${answers.length} answers for ${count} questions`);
  }
  for (const answer of answers.slice(at, at + 1)) {
    if (answer instanceof ClusterError) throw answer;
    return answer;
  }
  throw new RangeError(`there is no question ${at} of ${count}`);
}
