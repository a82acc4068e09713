import { type Clock, repeatTransient } from '@aosc/engine';
import type { DocumentIndex } from './document-index';

/**
 * For those who answer a person: a read that fails while the primary of `.aosc-migrations` is being moved is repeated for a
 * moment. Writes are not: nobody would know which of the two has succeeded.
 */
export function repeatReads(
  index: DocumentIndex,
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'random'>,
): DocumentIndex {
  return {
    ...index,
    get: (id, call) => repeatTransient(() => index.get(id, call), clock, call.signal),
    getMany: (ids, call) => repeatTransient(() => index.getMany(ids, call), clock, call.signal),
    getPositions: (ids, call) => repeatTransient(() => index.getPositions(ids, call), clock, call.signal),
    search: (body, call) => repeatTransient(() => index.search(body, call), clock, call.signal),
  };
}
