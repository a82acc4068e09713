import { type ClusterError, isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';

/**
 * One that a node hangs on, or that takes its time, keeps the answers of all that went with it for so long at most: then
 * each goes alone, with all the time a request has.
 */
const longestTogetherMs = 5000;

/**
 * Asks several questions in one request. Where that fails as a whole, each is asked alone, so that nobody fails for
 * another one's sake. A cluster that has too much to do is not asked once more.
 * @param signal of all who ask: aborted when the last of them has given up
 */
export async function togetherOrAlone<Q, A>(
  questions: readonly Q[],
  signal: AbortSignal,
  together: (signal: AbortSignal) => Promise<readonly (A | ClusterError)[]>,
  alone: (question: Q) => Promise<A>,
): Promise<readonly (A | ClusterError)[]> {
  const eachAlone = () => Promise.all(questions.map((question) => outcomeOf(() => alone(question))));
  if (questions.length === 1) return eachAlone();
  try {
    return await together(timeLimit(longestTogetherMs, signal));
  } catch (error) {
    if (signal.aborted || !isClusterError(error) || error.kind === 'overload') throw error;
    return eachAlone();
  }
}

async function outcomeOf<A>(ask: () => Promise<A>): Promise<A | ClusterError> {
  try {
    return await ask();
  } catch (error) {
    if (isClusterError(error)) return error;
    throw error;
  }
}
