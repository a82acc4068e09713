import { ownValue } from '@aosc/contract';
import type { Allocation, NodeRoom, NodeTraits } from '@aosc/opensearch';
import { admits, readFilters } from '../../target/allocation-fit';
import { textOf } from '../../target/limited-values';

type Settings = Readonly<Record<string, unknown>>;

/** What decides whether the primaries of a target can start where those of the source are. */
export interface Linking {
  /** of the target, flat */
  readonly settings: Settings;
  readonly allocation: Pick<Allocation, 'settings' | 'nodes'>;
  readonly nodes: readonly NodeTraits[];
  /** primaries of the source on each node, by its id, and the bytes of their files */
  readonly primaries: ReadonlyMap<string, { readonly count: number; readonly bytes: number }>;
  /** shards of the target for each of the source */
  readonly perPrimary: number;
}

const allocationOf = 'routing.allocation';
const enable = `${allocationOf}.enable`;
const perNode = `${allocationOf}.total_shards_per_node`;
const primariesPerNode = `index.${allocationOf}.total_primary_shards_per_node`;
const awareness = `cluster.${allocationOf}.awareness.attributes`;
const disk = `cluster.${allocationOf}.disk`;
const createIndex = 'cluster.blocks.create_index';
export const lowWatermark = `${disk}.watermark.low`;

/**
 * Why the primaries of a target that is made of files would not start: each has to start on the node of its source's primary.
 * A resize is refused only for a few of these. For the others it leaves a target that waits.
 */
export function findUnlinkable(linking: Linking): readonly string[] {
  const { settings, allocation, nodes, primaries } = linking;
  const cluster = allocation.settings;
  const own = textOf(ownValue(settings, `index.${enable}`));
  const reasons: string[] = [];
  if ((own || cluster[`cluster.${enable}`]) === 'none')
    reasons.push(`[${own ? 'index' : 'cluster'}.${enable}] is [none], so no shard starts`);
  if (cluster[createIndex] === 'true') reasons.push(`[${createIndex}] is set`);
  return [
    ...reasons,
    ...nodes.flatMap((node) => {
      const held = primaries.get(node.id);
      if (held === undefined) return [];
      return findInTheWay(linking, node, held).map(
        (what) => `node [${node.name}] has primaries of the source, and ${what}`,
      );
    }),
  ];
}

function findInTheWay(
  { settings, allocation, nodes, perPrimary }: Linking,
  node: NodeTraits,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): readonly string[] {
  const { settings: cluster } = allocation;
  const room = allocation.nodes?.get(node.name);
  const starting = count * perPrimary;
  const reasons = (
    [
      ['index', settings],
      ['cluster', cluster],
    ] as const
  )
    .filter(([, filters]) => !admits(readFilters(filters), node))
    .map(([name]) => `[${name}.${allocationOf}.*] keeps the target from it`);
  for (const [name, limit, there] of [
    [`index.${perNode}`, ownValue(settings, `index.${perNode}`), 0],
    [primariesPerNode, ownValue(settings, primariesPerNode), 0],
    [`cluster.${perNode}`, cluster[`cluster.${perNode}`], room?.shards ?? 0],
  ] as const) {
    const most = Number(limit ?? -1);
    if (most > 0 && there + starting > most)
      reasons.push(`[${name}] is less than the ${there + starting} that would be there`);
  }
  for (const attribute of textOf(cluster[awareness])
    .split(',')
    .map((each) => each.trim()))
    if (attribute !== '' && ownValue(node.attributes, attribute) === undefined)
      reasons.push(`[${awareness}] has [${attribute}], which the node has not`);
  if (usesWatermarks(cluster, nodes)) reasons.push(...findShortDisk(cluster, room?.disk, bytes));
  return reasons;
}

/** Whether shards are kept off disks that are too full. @param cluster its settings, flat */
export function usesWatermarks(cluster: Allocation['settings'], nodes: readonly NodeTraits[]): boolean {
  const isAlone = nodes.length === 1 && cluster[`${disk}.watermark.enable_for_single_data_node`] !== 'true';
  return cluster[`${disk}.threshold_enabled`] !== 'false' && !isAlone;
}

/** Links take no room, but OpenSearch counts with all that merges may rewrite, and later they do. */
function findShortDisk(
  cluster: Allocation['settings'],
  room: NodeRoom['disk'],
  bytes: number,
): readonly string[] {
  if (room === undefined) return [];
  const { freeBytes, totalBytes } = room;
  const short = (
    [
      ['low', 0],
      ['high', bytes],
    ] as const
  ).find(([mark, used]) => {
    const kept = bytesKeptFree(textOf(cluster[`${disk}.watermark.${mark}`]), totalBytes);
    return freeBytes - used < kept;
  });
  if (short === undefined) return [];
  const [mark, used] = short;
  const merged = used === 0 ? '' : `, and merges may take ${inMb(used)} of them`;
  return [`has ${inMb(freeBytes)} free${merged}: [${disk}.watermark.${mark}] forbids it`];
}

/** A watermark is a share of the disk that is in use, or bytes that are free. @returns 0 where it can't be read */
export function bytesKeptFree(watermark: string, totalBytes: number): number {
  const [, digits, unit = ''] = /^([\d.]+)\s*(%|[bkmgtp]b?|)$/.exec(watermark.toLowerCase()) ?? [];
  const number = Number(digits);
  if (!Number.isFinite(number)) return 0;
  if (unit === '%') return totalBytes * (1 - number / 100);
  return unit === '' ? totalBytes * (1 - number) : number * 1024 ** 'bkmgtp'.indexOf(unit.charAt(0));
}

export function inMb(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MB`;
}
