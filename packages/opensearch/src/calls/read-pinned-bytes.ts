import { createParser } from '@aosc/contract';
import type { SnapshotPort } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import type { AsksOf } from '../bind-calls';
import { requestJson } from '../client/request';
import { indexPath } from '../index-path';

const Segments = Type.Array(
  Type.Object({
    shard: Type.String(),
    prirep: Type.String(),
    ip: Type.String(),
    segment: Type.String(),
    size: Type.String({ pattern: '^[0-9]+$' }),
  }),
);
type Segment = Static<typeof Segments>[number];

const parse = createParser('answer of _cat/segments', Segments);
const query = { format: 'json', bytes: 'b', h: 'shard,prirep,ip,segment,size' } as const;

/** Bytes of segments that points in time keep, and that the index has no more. A copy uses a name once. */
export function sumPinned(kept: readonly Segment[], current: readonly Segment[]): number {
  const nameOf = ({ shard, prirep, ip, segment }: Segment): string => [shard, prirep, ip, segment].join(' ');
  const there = new Set(current.map(nameOf));
  const pinned = new Map(kept.map((segment) => [nameOf(segment), Number(segment.size)]));
  return [...pinned].reduce((sum, [name, size]) => (there.has(name) ? sum : sum + size), 0);
}

/**
 * `_cat/pit_segments` beside `_cat/segments`. What is merged away between the two counts as pinned, which it is.
 * @returns bytes on disk that would be freed if these points in time were closed
 * @throws ClusterError 'forbidden' where the service's user may not list segments
 */
export const readPinnedBytes: AsksOf<SnapshotPort['pinnedBytes']> = async (client, index, pitIds, call) => {
  if (pitIds.length === 0) return 0;
  const body = JSON.stringify({ pit_id: pitIds });
  const [kept, current] = await Promise.all([
    requestJson(client, { method: 'GET', path: '/_cat/pit_segments', query, body }, parse, call),
    requestJson(client, { method: 'GET', path: `/_cat/segments/${indexPath(index)}`, query }, parse, call),
  ]);
  return sumPinned(kept, current);
};
