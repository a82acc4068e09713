import { type BulkOutcome, isClusterError } from '@aosc/engine';
import { type Server, waitUntil } from '@aosc/local-stack';
import { createClient, createClusterPorts, type OpenSearchClient } from '@aosc/opensearch';
import { timeLimit } from '@aosc/signals';
import { type Cluster, startCluster } from './support/cluster';
import { copyItem, createBarrier, type Faults, once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

/**
 * A node that stalls is removed from the cluster, and learns nothing any more. Its buffers still hold what was sent to
 * it.
 */
let cluster: Cluster;
/** It has no shards, and only the test sends anything through it. */
let front: Server;
let client: OpenSearchClient;
beforeAll(async () => {
  const options = {
    nodes: [
      { name: 'manager', roles: ['cluster_manager'], heapMb: 320 },
      { name: 'holder', roles: ['data', 'ingest'], heapMb: 512 },
      { name: 'front', roles: ['ingest'], heapMb: 320 },
    ],
    openSearchSettings: {
      'cluster.fault_detection.follower_check.timeout': '2s',
      'cluster.fault_detection.follower_check.interval': '500ms',
      'cluster.fault_detection.follower_check.retry_count': 1,
    },
  } as const;
  cluster = await startCluster(options, 2);
  const [, , third] = cluster.nodes;
  if (third === undefined) throw new Error('the cluster has no third node');
  front = third;
  client = createClient({ nodes: [front.url], requestTimeoutMs: 300_000 });
});
beforeEach(async () => {
  front.resume();
  await untilMembers(3);
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

const call = { signal: timeLimit(3_600_000) };

function waitFor(what: string, isMet: () => boolean | Promise<boolean>): Promise<void> {
  return waitUntil(async () => isMet(), { what, timeoutMs: 120_000, endedBy: [] });
}

function untilMembers(count: number): Promise<void> {
  return waitFor(`${count} nodes in the cluster`, async () => {
    const { members } = await cluster.ports.readView(undefined, call);
    return members.length === count;
  });
}

/** A paused process can go on for a moment. */
async function stallFront(): Promise<void> {
  front.pause();
  await waitFor('the node to stall', async () => {
    try {
      await client.send({ method: 'GET', path: '/' }, { ...call, timeoutMs: 500 });
      return false;
    } catch (error) {
      if (isClusterError(error, 'transient')) return true;
      throw error;
    }
  });
}

/** The first bulk goes to the node that has just stalled, and its worker dies. */
async function diesBesideStalledNode(harness: Harness): Promise<{ readonly late: Promise<BulkOutcome> }> {
  const sent = createBarrier();
  let late: Promise<BulkOutcome> | undefined;
  const kill = new AbortController();
  const killed = new Promise<BulkOutcome>((resolve) => {
    kill.signal.addEventListener('abort', () => resolve({ type: 'unknown', reason: 'killed' }));
  });
  const faults: Faults = {
    target: {
      writes: () => ({
        bulk(fence, items, bulkCall) {
          const unstoppable = { ...bulkCall, signal: call.signal };
          late ??= createClusterPorts(client)
            .index(harness.target)
            .writes.bulk(fence, items.map(copyItem), unstoppable);
          void sent.pass();
          return killed;
        },
      }),
    },
  };
  await stallFront();
  const first = harness.job('backfill', 0, { faults, kill: kill.signal });
  await sent.reached;
  await untilMembers(2);
  kill.abort(new Error('killed'));
  await first;
  if (late === undefined) throw new Error('no bulk was sent');
  return { late };
}

const ids = Array.from({ length: 60 }, (_, n) => `d${n}`);

/** Another worker takes over, and all that it has copied is deleted again. */
async function copyAndDelete(harness: Harness): Promise<void> {
  await harness.job('backfill', 0, { takeOver: true });
  await cluster.removeAll(
    harness.source,
    ids.map((id) => ({ id })),
  );
  await harness.round();
}

async function startPair(lostNodeWaitMs?: number): Promise<Harness> {
  const harness = await createPair(cluster, {
    shards: [1, 1],
    documents: someDocuments(ids.length),
    ...(lostNodeWaitMs === undefined ? {} : { lostNodeWaitMs }),
  });
  await harness.advance();
  return harness;
}

test('a bulk in a node that was removed from the cluster does not come after the deletes', async () => {
  const harness = await startPair();
  const { late } = await diesBesideStalledNode(harness);
  const rest = copyAndDelete(harness);
  await Promise.race([rest, waitFor('a wait', () => harness.events.includes('node_awaited'))]);
  front.resume();
  await late;
  await untilMembers(3);
  await rest;
  await harness.expectExact();
  expect(harness.events).not.toContain('node_given_up');
});

test('a bulk that such a node holds is applied, although its fence is gone and no task is listed', async () => {
  const harness = await startPair(1000);
  const { late } = await diesBesideStalledNode(harness);
  await copyAndDelete(harness);
  expect(harness.events).toContain('node_given_up');
  await cluster.ports.index(harness.target).state.refresh(call);
  front.resume();
  // The target may still remember a delete.
  expect(await late).toMatchObject({ type: 'answered' });
  await expect(harness.expectExact()).rejects.toThrow();
});

test('a node that was restarted is waited for no longer', async () => {
  const harness = await startPair();
  const { late } = await diesBesideStalledNode(harness);
  const rest = copyAndDelete(harness);
  await waitFor('a wait', () => harness.events.includes('node_awaited'));
  await front.kill();
  expect(await late).toMatchObject({ type: 'unknown' });
  await front.restart();
  await rest;
  await harness.expectExact();
  expect(harness.events).not.toContain('node_given_up');
});

test('a write of an application in such a node does not get into the old index when its block is lifted', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 1],
    documents: someDocuments(ids.length),
    options: { removeSourceWriteBlockOnSuccess: true },
  });
  const sent = createBarrier();
  const answers: Promise<{ readonly status: number }>[] = [];
  const sendLate = once(async () => {
    await stallFront();
    const path = `/${harness.alias}/_doc/late`;
    answers.push(client.send({ method: 'PUT', path, body: someSource('late') }, call));
    await untilMembers(2);
    void sent.pass();
  });
  const completed = harness.runUntil('COMPLETED', {
    source: {
      settings: (real) => ({
        async blockWrites(...args) {
          await sendLate();
          return real.blockWrites(...args);
        },
      }),
    },
  });
  await Promise.race([sent.reached, completed]);
  await Promise.race([completed, waitFor('a wait', () => harness.events.includes('node_awaited'))]);
  front.resume();
  const [{ status } = { status: 0 }] = await Promise.all(answers);
  expect(status).toBeGreaterThan(0);
  await untilMembers(3);
  expect(await completed).toMatchObject({ phase: 'COMPLETED', writeBlock: { lifted: true } });
  expect(harness.events).not.toContain('stray_write');
  const found = { source: 0, target: status < 300 ? 1 : 0 };
  const count = async (index: string): Promise<number> => {
    await cluster.ports.index(index).state.refresh(call);
    return cluster.ports.index(index).state.count({ ids: { values: ['late'] } }, call);
  };
  expect({ source: await count(harness.source), target: await count(harness.target) }).toEqual(found);
});
