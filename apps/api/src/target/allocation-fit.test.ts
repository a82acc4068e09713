import { fitAllocation } from './allocation-fit';

const routing = 'index.routing.allocation';
const nodes = ['a', 'b', 'c'].map((name, n) => ({
  id: `id-${name}`,
  name,
  host: `${name}.example`,
  ip: `10.0.0.${n + 1}`,
  attributes: { tier: name === 'c' ? 'warm' : 'hot' },
}));
type Settings = Readonly<Record<string, unknown>>;

const fit = (settings: Settings, { shardCount = 2, edits = {}, mayLeaveOut = true } = {}) =>
  fitAllocation(
    { shardCount, definition: { settings, mappings: {} }, leftOut: [] },
    { nodes, edits, mayLeaveOut },
  );
const replicas = (count: number) => ({ 'index.number_of_replicas': String(count) });

test.each<[string, Settings, readonly string[]]>([
  ['one node, no replica', { ...replicas(0), [`${routing}.require._name`]: 'a' }, []],
  ['one node, a replica', { ...replicas(1), [`${routing}.require._name`]: 'a' }, ['require._name']],
  ['one node, the default replica', { [`${routing}.require._name`]: 'a' }, ['require._name']],
  ['a node that is gone', { ...replicas(0), [`${routing}.require._id`]: 'gone' }, ['require._id']],
  [
    'as many replicas as have a place',
    { 'index.auto_expand_replicas': '0-all', [`${routing}.require._name`]: 'a' },
    [],
  ],
  ['two nodes by a pattern', { ...replicas(1), [`${routing}.include._ip`]: '10.0.0.1, 10.0.0.2' }, []],
  ['all but one', { ...replicas(2), [`${routing}.exclude._host`]: 'c.*' }, ['exclude._host']],
  ['two names at once', { ...replicas(0), [`${routing}.require._name`]: 'a,b' }, ['require._name']],
  [
    'one include of two is enough',
    { ...replicas(2), [`${routing}.include._name`]: 'a', [`${routing}.include.tier`]: 'hot,warm' },
    [],
  ],
  ['an empty one', { ...replicas(2), [`${routing}.require._name`]: '' }, []],
  ['more copies than nodes', { ...replicas(5), [`${routing}.require.tier`]: '*' }, []],
  ['shards that fit', { ...replicas(0), [`${routing}.total_shards_per_node`]: '1' }, []],
  [
    'shards that do not',
    { ...replicas(1), [`${routing}.total_shards_per_node`]: 1 },
    ['total_shards_per_node'],
  ],
  ['no limit', { ...replicas(2), [`${routing}.total_shards_per_node`]: '-1' }, []],
  [
    'shards that do not fit on the nodes that a filter leaves',
    { ...replicas(0), [`${routing}.require.tier`]: 'warm', [`${routing}.total_shards_per_node`]: '1' },
    ['total_shards_per_node'],
  ],
  [
    'primaries',
    { ...replicas(2), [`${routing}.require._name`]: '*', [`${routing}.total_primary_shards_per_node`]: '1' },
    [],
  ],
])('%s: %j', (_, settings, left) => {
  const { definition, leftOut } = fit(settings);
  expect(leftOut.map(({ setting }) => setting)).toEqual(left.map((name) => `${routing}.${name}`));
  const kept = Object.keys(settings).filter((name) => !left.includes(name.slice(routing.length + 1)));
  expect(Object.keys(definition.settings)).toEqual(kept);
});

test.each<[string, Settings, { edits?: Settings; mayLeaveOut?: boolean }]>([
  ['by an attribute', { ...replicas(1), [`${routing}.require.tier`]: 'warm' }, {}],
  [
    'that was asked for',
    { ...replicas(1), [`${routing}.require._name`]: 'a' },
    { edits: { [`${routing}.require._name`]: 'a' } },
  ],
  [
    'that a limited caller may not leave out',
    { ...replicas(1), [`${routing}.require._name`]: 'a' },
    { mayLeaveOut: false },
  ],
])('one %s is refused', (_, settings, how) => {
  expect(() => fit(settings, how)).toThrow('would keep the target from getting green');
});
