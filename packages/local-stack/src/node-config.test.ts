import { type NodeOptions, planNodes, renderOpenSearchYml } from './node-config';

function render(nodes: readonly NodeOptions[], index: number): string {
  const ports = nodes.flatMap((_, at) => [9200 + at, 9300 + at]);
  const plans = planNodes(nodes, ports, { settings: { 'indices.query.bool.max_clause_count': 10 } });
  const plan = plans[index];
  if (plan === undefined) throw new Error('no such node');
  return renderOpenSearchYml(plan, plans, { data: '/run/data', logs: '/run/logs' });
}

test('one node gets 1024 MB of heap, several get 768 MB, a node`s own wish wins', () => {
  const heaps = (nodes: readonly NodeOptions[]) =>
    planNodes(nodes, [1, 2, 3, 4], {}).map(({ heapMb }) => heapMb);
  expect(heaps([{}])).toEqual([1024]);
  expect(heaps([{}, { heapMb: 256 }])).toEqual([768, 256]);
});

test('the first eligible node forms the cluster, all look for the eligible ones', () => {
  const nodes: NodeOptions[] = [{ roles: ['data'] }, { roles: ['cluster_manager'] }, {}];
  const configs = nodes.map((_, index) => render(nodes, index));
  expect(configs.map((text) => text.includes('initial_cluster_manager_nodes'))).toEqual([false, true, false]);
  expect(configs[1]).toContain('cluster.initial_cluster_manager_nodes: ["node-2"]\n');
  for (const text of configs) {
    expect(text).toContain('discovery.seed_hosts: ["127.0.0.1:9301","127.0.0.1:9302"]\n');
  }
});

test('roles are written when they are given, a node`s settings win over the cluster`s', () => {
  const text = render(
    [{ roles: ['cluster_manager'], settings: { 'indices.query.bool.max_clause_count': 20 } }],
    0,
  );
  expect(text).toContain('node.roles: ["cluster_manager"]\n');
  expect(text).toContain('indices.query.bool.max_clause_count: 20\n');
  expect(render([{}], 0)).not.toContain('node.roles');
  expect(render([{}], 0)).toContain('indices.query.bool.max_clause_count: 10\n');
});

test('a cluster that could never form is refused', () => {
  expect(() => planNodes([{ roles: ['data'] }], [1, 2], {})).toThrow('cluster manager');
  expect(() => planNodes([{ name: 'a' }, { name: 'a' }], [1, 2, 3, 4], {})).toThrow('one name');
});
