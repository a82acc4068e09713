import { borrowCluster, type Cluster } from './support/cluster';
import { createPair } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
const granted = () => Promise.resolve(true);

test('a job that is refused a permit reads nothing, hands the shard back and asks again', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const [nodeId = ''] = await cluster.ports.dataNodes(call);
  const answers: boolean[] = [];
  const permit = {
    nodeId,
    async isGranted() {
      // Others have to see who asks.
      const { phase, writer } = await harness.shard(0);
      expect({ phase, owned: writer.owner !== undefined }).toEqual({ phase: 'PENDING', owned: true });
      answers.push(answers.length > 0);
      return answers.length > 1;
    },
  };
  expect(await harness.job('backfill', 0, { permit })).toMatchObject({ type: 'again' });
  const refused = await harness.shard(0);
  expect(refused).toMatchObject({ phase: 'PENDING' });
  expect(refused.snapshot).toBeUndefined();
  expect(refused.writer.owner).toBeUndefined();
  expect(await harness.job('backfill', 0, { permit })).toEqual({ type: 'done' });
  expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING' });
  await harness.round();
  await harness.expectExact();
});

test('a job with the permit of a node that does not hold the primary reads nothing, and ends', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const elsewhere = { nodeId: 'elsewhere', isGranted: granted };
  expect(await harness.job('backfill', 0, { permit: elsewhere })).toEqual({ type: 'done' });
  const left = await harness.shard(0);
  expect(left).toMatchObject({ phase: 'ACQUIRING_LEASE', closingPitIds: [] });
  expect(left.snapshot).toBeUndefined();
  expect(left.writer.owner).toBeUndefined();
  expect(harness.events).toContain('backfill_moved');
  // It is queued for the right one.
  await harness.advance();
  expect(harness.takeDue()).toContainEqual({ kind: 'backfill', shard: 0 });
  const [nodeId = ''] = await cluster.ports.dataNodes(call);
  await harness.job('backfill', 0, { permit: { nodeId, isGranted: granted } });
  expect(await harness.shard(0)).toMatchObject({ phase: 'CONVERGING' });
  await harness.round();
  await harness.expectExact();
});

test('a job in the wrong queue does not cost a shard the snapshot that an earlier one has opened', async () => {
  const harness = await createPair(cluster, { shards: [1, 2] });
  await harness.advance();
  const kill = new AbortController();
  const opened = harness.job('backfill', 0, {
    kill: kill.signal,
    faults: {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            const outcome = await real.bulk(...args);
            kill.abort(new Error('killed'));
            return outcome;
          },
        }),
      },
    },
  });
  await opened;
  const { snapshot } = await harness.shard(0);
  expect(snapshot).toBeDefined();
  const permit = { nodeId: 'elsewhere', isGranted: granted };
  expect(await harness.job('backfill', 0, { permit, takeOver: true })).toEqual({ type: 'done' });
  const after = await harness.shard(0);
  expect(after).toMatchObject({ phase: 'BACKFILLING', snapshot, snapshotsLost: 0 });
});
