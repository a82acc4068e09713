import type { BulkLimits } from '@aosc/domain';

/**
 * Cuts a list into batches. One item is a batch however large it is.
 * @param readLimits asked for each batch
 */
export function* splitBatch<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  readLimits: () => Pick<BulkLimits, 'maxDocs' | 'maxBytes'>,
): Generator<readonly T[]> {
  for (let start = 0; start < items.length;) {
    const batch = firstBatch(start === 0 ? items : items.slice(start), sizeOf, readLimits());
    yield batch;
    start += batch.length;
  }
}

/** As many of the first items as fit: one at least. The list itself when all do. */
export function firstBatch<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  { maxDocs, maxBytes }: Pick<BulkLimits, 'maxDocs' | 'maxBytes'>,
): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, at) => {
    bytes += sizeOf(item);
    return at > 0 && (at >= maxDocs || bytes > maxBytes);
  });
  return end === -1 ? items : items.slice(0, end);
}
