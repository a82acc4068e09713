import { isClusterError } from '@aosc/engine';
import { type Server, waitUntil } from '@aosc/local-stack';
import { createClient, createClusterPorts } from '@aosc/opensearch';
import { timeLimit } from '@aosc/signals';
import { type Cluster, startCluster } from './support/cluster';
import { createPair, someDocuments } from './support/pairs';
import { createReturningNode } from './support/returning-node';

jest.setTimeout(600_000);

/** Three nodes that each may become cluster manager: the elected one is paused, and comes back. */
let cluster: Cluster;
const call = { signal: timeLimit(3_600_000) };
beforeAll(async () => {
  cluster = await startCluster({
    nodes: [1, 2, 3].map((n) => ({ name: `node-${n}`, heapMb: 384 })),
    openSearchSettings: {
      'cluster.fault_detection.follower_check.timeout': '3s',
      'cluster.fault_detection.follower_check.interval': '500ms',
      'cluster.fault_detection.follower_check.retry_count': 1,
      'cluster.fault_detection.leader_check.timeout': '3s',
      'cluster.fault_detection.leader_check.interval': '500ms',
      'cluster.fault_detection.leader_check.retry_count': 1,
    },
  });
});
afterAll(async () => {
  for (const node of cluster.nodes) node.resume();
  await cluster.stop();
});

async function findManager(): Promise<{ manager: Server; others: readonly Server[] }> {
  const name = (await cluster.text('GET', '/_cat/cluster_manager?h=node')).trim();
  const manager = cluster.nodes.find((node) => node.name === name);
  if (manager === undefined) throw new Error(`there is no node ${name}`);
  return { manager, others: cluster.nodes.filter((node) => node !== manager) };
}

test('a manager that was away shows an old state: a process that has seen a newer one refuses it', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(20) });
  const { manager, others } = await findManager();
  const client = createClient({ nodes: others.map(({ url }) => url) });
  const ports = createClusterPorts(client);
  await ports.readView(harness.source, call);
  const before = ports.newestState();
  const returning = await createReturningNode(manager);
  try {
    manager.pause();
    await waitUntil(
      async () => {
        try {
          // A change that only a manager of now can make.
          await ports.index(harness.source).settings.put({ 'index.blocks.write': true }, call);
          return (await ports.readView(harness.source, call)).members.length === 2;
        } catch (error) {
          if (isClusterError(error)) return false;
          throw error;
        }
      },
      { what: 'another manager', timeoutMs: 120_000, endedBy: [] },
    );
    const now = ports.newestState();
    expect(now?.term).toBeGreaterThan(before?.term ?? 0);
    // The migration's record carries it to other processes: a process that has seen nothing itself must not believe the
    // old manager.
    if (now === undefined) throw new Error('no state was seen');
    returning.ports.rememberState(now);
    // It must answer before it has joined them again, and a busy machine gives it time for both.
    for (const node of others) node.pause();
    await expect(returning.ports.index(harness.source).state.readRouting(call)).rejects.toMatchObject({
      kind: 'transient',
    });
    for (const node of others) node.resume();
    await waitUntil(
      async () => {
        try {
          return (await returning.ports.index(harness.source).state.readRouting(call)).isWriteBlocked;
        } catch (error) {
          if (isClusterError(error, 'transient')) return false;
          throw error;
        }
      },
      { what: 'the old manager to have joined again', timeoutMs: 120_000, endedBy: [] },
    );
  } finally {
    await returning.stop();
    await client.close();
  }
});

test('the record of a migration names the newest state, and processes that read it refuse older ones', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(20) });
  await harness.advance();
  const { seenState } = await harness.record();
  const newest = cluster.ports.newestState();
  expect(newest).toMatchObject({ clusterUuid: seenState?.clusterUuid, term: seenState?.term });
  expect(newest?.version).toBeGreaterThanOrEqual(seenState?.version ?? Infinity);
  const client = createClient({ nodes: cluster.urls });
  try {
    const ports = createClusterPorts(client);
    if (seenState === undefined) throw new Error('no state is in the record');
    ports.rememberState({ ...seenState, term: seenState.term + 1 });
    await expect(ports.index(harness.source).state.readRouting(call)).rejects.toThrow(
      'a node that was away has answered',
    );
  } finally {
    await client.close();
  }
});
