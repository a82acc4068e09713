import { ownValue, type VerifiedRange } from '@aosc/contract';
import type { OpenShard } from './open-shards';

/** The first number of a shard that an earlier pass has not read. */
export const firstOf = (shard: number, before: VerifiedRange['toSeqNo'] | undefined): number =>
  (ownValue(before ?? {}, String(shard)) ?? -1) + 1;

/** The least numbers of a span: so few are read page by page, not side by side. */
const leastSpan = 50_000;

/**
 * Divides the numbers of shards into spans, which are read side by side. In a group of few shards each shard gets
 * several spans. Otherwise the node would wait while this process works on a page, and this process would wait while
 * the node reads the next page.
 * @param before up to where, by shard, an earlier pass has read
 * @param last by shard: numbers above it are left out
 */
export function spansOf(
  open: readonly Pick<OpenShard, 'shard' | 'pitId' | 'maxSeqNo'>[],
  most: number,
  before: VerifiedRange['toSeqNo'] | undefined,
  last: VerifiedRange['toSeqNo'] = {},
) {
  const each = Math.max(1, Math.floor(most / open.length));
  return open.flatMap(({ shard, pitId, maxSeqNo }) => {
    const begin = firstOf(shard, before);
    const end = Math.min(maxSeqNo, ownValue(last, String(shard)) ?? maxSeqNo) + 1;
    const width = Math.max(leastSpan, Math.ceil((end - begin) / each));
    return Array.from({ length: Math.max(0, Math.ceil((end - begin) / width)) }, (_, at) => {
      const from = begin + at * width;
      return { shard, pitId, selection: { kind: 'range', from, to: Math.min(from + width, end) } as const };
    });
  });
}
