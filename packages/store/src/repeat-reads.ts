import { type Clock, repeatTransient } from '@aosc/engine';
import type { DocumentIndex } from './document-index';

/**
 * For processes that answer a person: repeats a failed read for a moment while the primary of `.aosc-migrations` moves.
 * It does not repeat writes: the caller could not know which of the two writes has succeeded.
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
