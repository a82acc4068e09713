import { type Cluster, startCluster } from './support/cluster';
import { drive } from './support/drive';
import { createBarrier, type Faults, once } from './support/faults';
import { createPair, someDocuments, someSource } from './support/pairs';

/*
 * What would make the last rounds long, or impossible, is found before the source is blocked.
 */

jest.setTimeout(300_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const often = { maxLooks: 200, pauseMs: 20 };

test('a lost snapshot that a worker writes down while the scheduler looks is repaired before the block', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(300),
    convergedRestMs: 10_000,
  });
  await harness.backfill();
  await harness.round();
  await cluster.put(harness.source, { id: 'n' }, someSource('n'));
  const { snapshot } = await harness.shard(0);
  const look = createBarrier();
  const holdOnce = once(() => look.pass());
  let job: Promise<unknown> | undefined;
  let looks = 0;
  const ofWorker: Faults = {
    source: {
      snapshots: (real) => ({
        async extend(...args) {
          await holdOnce();
          return real.extend(...args);
        },
      }),
    },
  };
  const ofScheduler: Faults = {
    store: (real) => ({
      async replaceMigration(before, after, ...rest) {
        if (after.phase === 'CUTTING_OVER' && job === undefined) {
          job = harness.job('replay', 0, { faults: ofWorker });
          await look.reached;
        }
        return real.replaceMigration(before, after, ...rest);
      },
    }),
    source: {
      snapshots: (real) => ({
        async extend(...args) {
          if ((await harness.record()).phase === 'CUTTING_OVER' && ++looks === 1) {
            await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [snapshot?.pitId] });
            look.open();
            await job;
          }
          return real.extend(...args);
        },
      }),
    },
  };
  expect(await drive(harness, { ...often, faults: ofScheduler })).toBe('COMPLETED');
  expect(looks).toBeGreaterThan(0);
  await harness.expectExact();
  const { events } = harness;
  expect(events).toContain('sweep_complete');
  expect(events.indexOf('sweep_complete')).toBeLessThan(events.indexOf('write_block_confirmed'));
});

test.each(['read_only_allow_delete', 'write'])(
  'while the target bears a block itself (%s) the source gets none, and the cutover waits',
  async (name) => {
    const harness = await createPair(cluster, {
      shards: [2, 4],
      documents: someDocuments(300),
      convergedRestMs: 10_000,
      targetReplicas: 1,
    });
    await harness.backfill();
    await harness.round();
    for (const id of ['n1', 'n2', 'n3']) await cluster.put(harness.source, { id }, someSource(id));
    await harness.runUntil('PREPARING_TARGET');
    await harness.advance();
    // The replica that can't be placed has held the cutover until now.
    const put = (settings: object) => cluster.send('PUT', `/${harness.target}/_settings`, settings);
    await put({ 'index.number_of_replicas': 0, [`index.blocks.${name}`]: true });
    const reasons = new Set<string>();
    const isOver = async (): Promise<boolean> => {
      const { writeBlock, waits } = await harness.record();
      expect(writeBlock).toBeUndefined();
      for (const { text = '' } of waits) reasons.add(text);
      return [...reasons].some((text) => text.includes(`index.blocks.${name}`));
    };
    await drive(harness, { ...often, isOver });
    await put({ [`index.blocks.${name}`]: null });
    expect(await drive(harness, often)).toBe('COMPLETED');
    await harness.expectExact();
  },
);

test('the last worker that stops while the target is refreshed leaves no block behind', async () => {
  let workers = 1;
  let refreshes = 0;
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(50),
    convergedRestMs: 10_000,
    countWorkers: () => Promise.resolve(workers),
  });
  await harness.backfill();
  await harness.round();
  const faults: Faults = {
    target: {
      state: (real) => ({
        async refresh(call) {
          if ((await harness.record()).phase === 'CUTTING_OVER') {
            workers = 0;
            refreshes++;
          }
          return real.refresh(call);
        },
      }),
    },
  };
  const isOver = async (): Promise<boolean> => {
    expect((await harness.record()).writeBlock).toBeUndefined();
    return refreshes > 0 && (await harness.record()).phase === 'PREPARING_TARGET';
  };
  await drive(harness, { ...often, faults, isOver });
  workers = 1;
  expect(await drive(harness, often)).toBe('COMPLETED');
  await harness.expectExact();
});
