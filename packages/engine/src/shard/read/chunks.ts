import { type ClusterError, isClusterError } from '../../ports/cluster-error';

/** The most documents that one request names: its answer, without their content, stays below a few hundred KB. */
const mostNamed = 1000;

/** Ids or keys, in order, in parts that one request can name. */
export function inRequests<V>(values: readonly V[], size = mostNamed): readonly (readonly V[])[] {
  const parts: (readonly V[])[] = [];
  for (let start = 0; start < values.length; start += size) parts.push(values.slice(start, start + size));
  return parts;
}

/**
 * Asks about some of the values at a time, and about fewer after the cluster has refused that many in one query:
 * `index.max_terms_count` and `indices.query.bool.max_clause_count` may be low, and change at any time.
 * @param max the most values in one query
 * @param ask runs again with fewer values after a refusal: it must be harmless to repeat
 */
export async function* inChunks<V, R>(
  values: readonly V[],
  max: number,
  ask: (part: readonly V[]) => Promise<R>,
): AsyncGenerator<R> {
  let size = max;
  for (let start = 0; start < values.length;) {
    const part = values.slice(start, start + size);
    let answer: R;
    try {
      answer = await ask(part);
    } catch (error) {
      if (!isClusterError(error, 'too_many_clauses') || part.length <= 1) throw error;
      size = Math.ceil(part.length / 2);
      continue;
    }
    yield answer;
    start += part.length;
  }
}

/**
 * Asks about values at once, and by halves where the cluster refuses the request: it is too large, or one of the values
 * fails it, unnamed.
 * @param fail makes the error for a value that is refused by itself
 */
export async function byHalves<V, R>(
  values: readonly V[],
  ask: (part: readonly V[]) => Promise<readonly R[]>,
  fail: (value: V | undefined, error: ClusterError) => Error,
): Promise<readonly R[]> {
  try {
    return await ask(values);
  } catch (error) {
    if (!isClusterError(error, 'invalid', 'too_large')) throw error;
    if (values.length <= 1) throw fail(values[0], error);
    const middle = Math.ceil(values.length / 2);
    const first = await byHalves(values.slice(0, middle), ask, fail);
    return [...first, ...(await byHalves(values.slice(middle), ask, fail))];
  }
}
