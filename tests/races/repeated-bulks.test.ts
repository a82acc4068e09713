import { createHarness, type Harness } from './support/harness';
import { type LeavingNode, startLeavingNode } from './support/leaving-node';
import { findMeetingRoutings } from './support/meeting-routings';
import { someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

/**
 * A bulk that was answered lies in the buffers of a node that was removed from the cluster. When the node goes on, it
 * passes the bulk on to the primary, which carries it out once more.
 */
let node: LeavingNode;

beforeAll(async () => {
  node = await startLeavingNode();
});
afterEach(() => node.comeBack());
afterAll(() => node.cluster.stop());

/** Runs work that may have to wait for the node, which then comes back. */
async function whileAway(harness: Harness, work: () => Promise<unknown>): Promise<void> {
  const done = work();
  const isDone = done.then(
    () => true,
    () => true,
  );
  await node.waitFor('the work to end, or to wait for the node', async () => {
    const waits = harness.events.includes('node_awaited');
    return waits || (await Promise.race([isDone, Promise.resolve(false)]));
  });
  await node.comeBack();
  await done;
  await node.untilGreen(harness.target);
}

test('of another source shard does not come into a place that this one has emptied', async () => {
  const { cluster } = node;
  const shards = [2, 1] as const;
  const [first, second] = [1, 0];
  const [from, to] = findMeetingRoutings('x', shards, [first, second]);
  const harness = await node.startPair(
    'target',
    {},
    { shards, documents: someDocuments(10), options: { docCountTolerance: 5 } },
  );
  await cluster.put(harness.source, { id: 'x', routing: from }, someSource('x'));
  await harness.advance();
  await node.copyThroughStall(harness, first);
  // The document moves to a shard that no worker has worked on before: its record does not know of the node.
  await cluster.remove(harness.source, { id: 'x', routing: from });
  for (let n = 0; n < 5; n++) await cluster.put(harness.source, { id: 'x', routing: to }, someSource('x'));
  await harness.job('backfill', second);
  expect(await harness.shard(second)).toMatchObject({ phase: 'CONVERGING', contestedIds: ['x'] });
  await cluster.remove(harness.source, { id: 'x', routing: to });
  await whileAway(harness, async () => {
    await harness.job('replay', second);
    await harness.job('replay', first);
  });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('of a migration that was cancelled does not come into the target of the next one', async () => {
  const { cluster } = node;
  const first = await node.startPair(
    'target',
    {},
    { documents: someDocuments(20), timing: { guardMs: 600_000 } },
  );
  const { source, target, alias } = first;
  await first.advance();
  await node.copyThroughStall(first, 0);
  await first.cancel();
  let next: Harness | undefined;
  await whileAway(first, async () => {
    expect(await first.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    await first.advance();
    // A user empties the target and uses it again. Meanwhile an application writes with versions of its own.
    const all = { query: { match_all: {} } };
    await cluster.send('POST', `/${target}/_refresh`);
    await cluster.send('POST', `/${target}/_delete_by_query?refresh=true`, all);
    for (let n = 0; n < 5; n++) {
      const written = { id: `d${n}`, version: 1, versionType: 'external_gte' } as const;
      await cluster.put(source, written, someSource(written.id));
    }
    next = await createHarness(cluster, { source, target, alias });
    await next.backfill();
    await next.round();
  });
  expect(await next?.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await next?.expectExact();
});
