import type { BulkLimits } from '@aosc/domain';

/** As many of the first items as fit: one at least. The list itself when all items fit. */
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
