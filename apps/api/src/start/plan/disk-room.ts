import type { Allocation, NodeTraits } from '@aosc/opensearch';
import { textOf } from '../../target/limited-values';
import { bytesKeptFree, inMb, lowWatermark, usesWatermarks } from '../files/find-unlinkable';

/**
 * Whether a copy of the documents fits below the watermarks of the nodes together. Points in time keep the segments that
 * merges replace: up to the source once more.
 * @param copies of each shard of the target
 * @param isLimited the caller does not learn what others have there
 * @returns warnings; undefined: the disks are not known
 */
export function findShortDisks(
  { settings, nodes: rooms, primaryBytes }: Allocation,
  nodes: readonly NodeTraits[],
  copies: number,
  isLimited: boolean,
): readonly string[] | undefined {
  if (rooms === undefined) return undefined;
  const disks = nodes.flatMap(({ name }) => rooms.get(name)?.disk ?? []);
  if (disks.length === 0) return undefined;
  const watermark = usesWatermarks(settings, nodes) ? textOf(settings[lowWatermark]) : '';
  const room = disks.reduce(
    (sum, { freeBytes, totalBytes }) => sum + Math.max(0, freeBytes - bytesKeptFree(watermark, totalBytes)),
    0,
  );
  const bytes = [...primaryBytes.values()].reduce((sum, each) => sum + each, 0);
  if (bytes * (copies + 1) <= room) return [];
  const below = watermark === '' ? '' : ` below [${lowWatermark}]`;
  const there = isLimited ? 'less' : inMb(room);
  return [
    `the target takes about ${inMb(bytes * copies)}, points in time keep up to ${inMb(bytes)} of replaced segments, and the ` +
      `data nodes have ${there} free${below}`,
  ];
}
