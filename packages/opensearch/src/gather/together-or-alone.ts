import { type ClusterError, isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { answerAt } from './gather';

export interface Company<Q, A> {
  /** aborted when the last of the callers has given up */
  readonly signal: AbortSignal;
  /**
   * How long a shared request may keep all its questions waiting, be it slow or stuck on a node: then each question
   * gets a request of its own, with the full time of a request.
   */
  readonly patienceMs: number;
  readonly together: (signal: AbortSignal) => Promise<readonly (A | ClusterError)[]>;
  readonly alone: (question: Q) => Promise<A>;
}

/**
 * Asks several questions in one request. If that fails as a whole, each question gets a request of its own, so that no
 * caller fails or waits because of another. Under overload it does not ask again.
 * @returns the answer of each, in their order
 */
export function togetherOrAlone<Q, A>(
  questions: readonly Q[],
  { signal, patienceMs, together, alone }: Company<Q, A>,
): readonly Promise<A>[] {
  if (questions.length === 1) return questions.map(alone);
  const shared = together(timeLimit(patienceMs, signal));
  return questions.map(async (question, at) => {
    try {
      await shared;
    } catch (error) {
      if (signal.aborted || !isClusterError(error) || error.kind === 'overload') throw error;
      return alone(question);
    }
    return answerAt(await shared, at, questions.length);
  });
}
