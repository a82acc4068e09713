import { ownValue, type VerifiedRange } from '@aosc/contract';
import type { OpenShard } from './open-shards';

/** The first sequence number of a shard that an earlier pass has not read. */
export const firstOf = (shard: number, before: VerifiedRange['toSeqNo'] | undefined): number =>
  (ownValue(before ?? {}, String(shard)) ?? -1) + 1;

/** A shard with no more unread sequence numbers than this stays one span, because it has few pages. */
const leastSpan = 50_000;

/**
 * Divides the sequence numbers of shards into spans, which are read side by side. Few shards get several spans each.
 * With a single span the node would wait while this process works on a page, and this process would wait while the node
 * reads the next page.
 * @param before by shard, the number up to which an earlier pass has read
 * @param last by shard, the number up to which this pass reads
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
