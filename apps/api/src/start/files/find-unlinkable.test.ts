import { findUnlinkable, type Linking } from './find-unlinkable';

const index = 'index.routing.allocation';
const cluster = 'cluster.routing.allocation';
const disk = `${cluster}.disk`;
const marks = { [`${disk}.watermark.low`]: '85%', [`${disk}.watermark.high`]: '90%' };
const gb = 2 ** 30;
const nodes = ['a', 'b', 'c'].map((name, n) => ({
  id: `id-${name}`,
  name,
  host: `${name}.example`,
  ip: `10.0.0.${n + 1}`,
  attributes: name === 'a' ? { tier: 'hot' } : { tier: name === 'c' ? 'warm' : 'hot', zone: name },
}));
const rooms = (freeBytes: number) =>
  new Map([['a', { shards: 7, disk: { freeBytes, totalBytes: 100 * gb } }]]);
const roomy = rooms(50 * gb);

/** Two primaries of the source on node a, one on node b, and two shards of the target for each. */
function find({
  own = {},
  whole = {},
  free = roomy,
  among = nodes,
}: {
  readonly own?: Readonly<Record<string, unknown>>;
  readonly whole?: Readonly<Record<string, string>>;
  readonly free?: Linking['allocation']['nodes'];
  readonly among?: Linking['nodes'];
}): readonly string[] {
  return findUnlinkable({
    settings: own,
    allocation: { settings: { ...marks, ...whole }, nodes: free },
    nodes: among,
    primaries: new Map([
      ['id-a', { count: 2, bytes: 8 * gb }],
      ['id-b', { count: 1, bytes: 4 * gb }],
    ]),
    perPrimary: 2,
  });
}

test.each<[string, Parameters<typeof find>[0], readonly string[]]>([
  ['nothing', {}, []],
  ['a filter that has the nodes of the source', { own: { [`${index}.include._name`]: 'a,b' } }, []],
  [
    'a filter without one of them',
    { own: { [`${index}.include._name`]: 'b,c' } },
    ['[a] has primaries of the source, and [index.routing.allocation.*] keeps the target from it'],
  ],
  ['an attribute', { own: { [`${index}.require.tier`]: 'warm' } }, ['node [a]', 'node [b]']],
  ['as many shards as start there', { own: { [`${index}.total_shards_per_node`]: '4' } }, []],
  ['fewer', { own: { [`${index}.total_shards_per_node`]: '3' } }, ['less than the 4 that would be there']],
  [
    'fewer primaries',
    { own: { [`${index}.total_primary_shards_per_node`]: 1 } },
    ['less than the 4 ', 'less than the 2 '],
  ],
  [
    'a node that is emptied',
    { whole: { [`${cluster}.exclude._ip`]: '10.0.0.2' } },
    ['[b] has primaries of the source, and [cluster.routing.allocation.*]'],
  ],
  [
    'includes of index and cluster, each met',
    {
      own: { [`${index}.include.tier`]: 'hot' },
      whole: { [`${cluster}.include._name`]: 'a,b' },
    },
    [],
  ],
  [
    'includes of which the cluster has another',
    { own: { [`${index}.include.tier`]: 'hot' }, whole: { [`${cluster}.include._name`]: 'a' } },
    ['node [b]'],
  ],
  [
    'a limit of the cluster',
    { whole: { [`${cluster}.total_shards_per_node`]: '10' } },
    ['less than the 11 '],
  ],
  ['no allocation', { whole: { [`${cluster}.enable`]: 'none' } }, ['[cluster.routing.allocation.enable]']],
  ['new primaries alone', { whole: { [`${cluster}.enable`]: 'new_primaries' } }, []],
  [
    "no allocation but the index's own",
    { whole: { [`${cluster}.enable`]: 'none' }, own: { [`${index}.enable`]: 'all' } },
    [],
  ],
  ["the index's own", { own: { [`${index}.enable`]: 'none' } }, ['[index.routing.allocation.enable]']],
  ['no new indices', { whole: { 'cluster.blocks.create_index': 'true' } }, ['[cluster.blocks.create_index]']],
  [
    'a node outside of all zones',
    { whole: { [`${cluster}.awareness.attributes`]: 'zone,tier' } },
    ['[a] has primaries of the source, and [cluster.routing.allocation.awareness.attributes] has [zone]'],
  ],
  ['as little disk as may be left', { free: rooms(18 * gb) }, []],
  [
    'less than the low watermark',
    { free: rooms(14 * gb) },
    ['14336 MB free: [cluster.routing.allocation.disk.watermark.low]'],
  ],
  [
    'less than merges may take',
    { free: rooms(17 * gb) },
    ['8192 MB of them: [cluster.routing.allocation.disk.watermark.high]'],
  ],
  ['a share', { free: rooms(17 * gb), whole: { [`${disk}.watermark.high`]: '0.95' } }, []],
  ['bytes', { free: rooms(17 * gb), whole: { [`${disk}.watermark.high`]: '10gb' } }, ['watermark.high']],
  ['fewer bytes', { free: rooms(17 * gb), whole: { [`${disk}.watermark.high`]: '9gb' } }, []],
  ['disks that do not count', { free: rooms(1), whole: { [`${disk}.threshold_enabled`]: 'false' } }, []],
  ['a single data node', { free: rooms(1), among: nodes.slice(0, 1) }, []],
  [
    'a single data node that counts',
    {
      free: rooms(1),
      among: nodes.slice(0, 1),
      whole: { [`${disk}.watermark.enable_for_single_data_node`]: 'true' },
    },
    ['watermark.low'],
  ],
  ['disks of which nothing is known', { free: new Map() }, []],
])('%s', (_, asked, reasons) => {
  const found = find(asked);
  expect(found).toHaveLength(reasons.length);
  for (const [n, reason] of reasons.entries()) expect(found[n]).toContain(reason);
});
