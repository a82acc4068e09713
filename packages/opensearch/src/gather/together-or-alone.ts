import { type ClusterError, isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import { answerAt } from './gather';

export interface Company<Q, A> {
  /** aborted when the last of those who ask has given up */
  readonly signal: AbortSignal;
  /**
   * One that a node hangs on, or that takes its time, keeps the answers of all that went with it for so long at most: then
   * each goes alone, with all the time a request has.
   */
  readonly patienceMs: number;
  readonly together: (signal: AbortSignal) => Promise<readonly (A | ClusterError)[]>;
  readonly alone: (question: Q) => Promise<A>;
}

/**
 * Asks several questions in one request. Where that fails as a whole, each is asked alone, so that nobody fails or waits
 * for another one's sake. A cluster that has too much to do is not asked once more.
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
