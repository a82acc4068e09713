import { byName, createParser, maybe } from '@aosc/contract';
import { type Call, instead } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { getJson, type OpenSearchClient } from '../client/request';
import { readShardStats } from './shard-stats';

/** What decides where shards that are made of an index's files may start, but for the index's own settings. */
export interface Allocation {
  /** of the cluster, flat: `cluster.routing.allocation.*`, and what refuses new indices */
  readonly settings: Readonly<Record<string, string>>;
  /** by name; undefined: the service may not read it */
  readonly nodes: ReadonlyMap<string, NodeRoom> | undefined;
  /** bytes of each primary's files, by its shard */
  readonly primaryBytes: ReadonlyMap<number, number>;
}

export interface NodeRoom {
  readonly shards: number;
  /** undefined: the node has not reported its disk yet */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
}

const Value = Type.Union([Type.String(), Type.Array(Type.String())]);
const Scope = maybe(byName(Value));
const parseSettings = createParser(
  'answer of _cluster/settings',
  Type.Object({ persistent: Scope, transient: Scope, defaults: Scope }),
);
const Cell = Type.Union([Type.String(), Type.Null()]);
const parseNodes = createParser(
  'answer of _cat/allocation',
  Type.Array(Type.Object({ node: Cell, shards: Cell, 'disk.avail': Cell, 'disk.total': Cell })),
);

/** @param index whose files they are to be made of */
export async function readAllocation(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<Allocation> {
  const [settings, nodes, primaryBytes] = await Promise.all([
    readAllocationSettings(client, call),
    readNodeRooms(client, call).catch(instead(undefined, 'forbidden')),
    readPrimaryBytes(client, index, call),
  ]);
  return { settings, nodes, primaryBytes };
}

/** `GET _cluster/settings`: a flat name is one name for `filter_path`, in which no dot can be. */
async function readAllocationSettings(client: OpenSearchClient, call: Call): Promise<Allocation['settings']> {
  const query = {
    include_defaults: true,
    flat_settings: true,
    filter_path: '*.cluster*allocation*,*.cluster*create_index*',
  };
  const answer = await getJson(client, '/_cluster/settings', query, parseSettings, call);
  const { defaults, persistent, transient } = answer;
  const all = Object.entries({ ...defaults, ...persistent, ...transient });
  return Object.fromEntries(all.map(([name, value]) => [name, [value].flat().join(',')]));
}

/** `GET _cat/allocation`. Of two nodes with one name the fuller one counts. */
async function readNodeRooms(client: OpenSearchClient, call: Call): Promise<ReadonlyMap<string, NodeRoom>> {
  const query = { format: 'json', bytes: 'b', h: 'node,shards,disk.avail,disk.total' };
  const rooms = new Map<string, NodeRoom>();
  for (const row of await getJson(client, '/_cat/allocation', query, parseNodes, call)) {
    const { node, shards, 'disk.avail': free, 'disk.total': total } = row;
    if (node === null) continue;
    const before = rooms.get(node);
    const disk =
      free === null || total === null ? undefined : { freeBytes: Number(free), totalBytes: Number(total) };
    if (before?.disk !== undefined && disk !== undefined && before.disk.freeBytes < disk.freeBytes) continue;
    rooms.set(node, { shards: Number(shards), disk });
  }
  return rooms;
}

const stats = {
  metric: 'store',
  fields: ['routing', 'store.size_in_bytes'],
  parseCopy: createParser(
    'copy in the answer of _stats',
    Type.Object({
      routing: Type.Object({ primary: Type.Boolean() }),
      store: Type.Object({ size_in_bytes: Type.Number() }),
    }),
  ),
};

/** `GET {index}/_stats/store`. */
async function readPrimaryBytes(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<Allocation['primaryBytes']> {
  const shards = await readShardStats(client, index, stats, call);
  return new Map(
    [...shards].flatMap(([shard, copies]) => {
      const primary = copies.find(({ routing }) => routing.primary);
      return primary === undefined ? [] : [[shard, primary.store.size_in_bytes] as const];
    }),
  );
}
