import { isClusterError } from '../../ports/cluster-error';

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
