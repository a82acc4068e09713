import type { Call, Stored } from '@aosc/engine';
import { LRUCache } from 'lru-cache';
import type { DocumentIndex, StoredDocument } from './document-index';

/**
 * Reads the same records again and again, in real time, and fetches only those that have changed since the last read.
 * Of 200 shards, few change within a second.
 * @param read turns a document into its record, which is kept
 * @param maxKept how many records are kept; those that were not read for the longest time make room
 */
export function createPolledRecords<R>(
  index: Pick<DocumentIndex, 'getPositions' | 'getMany'>,
  read: (document: StoredDocument) => Stored<R>,
  maxKept: number,
): (ids: readonly string[], call: Call) => Promise<readonly Stored<R>[]> {
  const kept = new LRUCache<string, Stored<R>>({ max: maxKept });

  return async (ids, call) => {
    const positions = await index.getPositions(ids, call);
    const current = new Map<string, Stored<R>>();
    const changed: string[] = [];
    ids.forEach((id, i) => {
      const position = positions[i];
      if (position === undefined) return;
      const known = kept.get(id);
      // Every write moves a record to another position, so at the same position the record is the same.
      if (known?.seqNo === position.seqNo && known.primaryTerm === position.primaryTerm)
        current.set(id, known);
      else changed.push(id);
    });
    const fetched = await index.getMany(changed, call);
    changed.forEach((id, i) => {
      const document = fetched[i];
      if (document !== undefined) current.set(id, read(document));
    });
    for (const [id, record] of current) kept.set(id, record);
    return ids.map((id) => current.get(id)).filter((record) => record !== undefined);
  };
}
