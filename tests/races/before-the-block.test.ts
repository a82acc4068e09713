import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { homeOfPrimary, reroute } from '../support/allocation';
import { borrowCluster, type Cluster } from './support/cluster';
import { drive } from './support/drive';
import { createBarrier, type Faults, once } from './support/faults';
import { createPair, someDocuments, someSource } from './support/pairs';

/*
 * What would make the last rounds long, or impossible, is found before the source is blocked.
 */

jest.setTimeout(300_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const parsePit = createParser('answer of _search/point_in_time', Type.Object({ pit_id: Type.String() }));

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

/** The look for green is that of PREPARING_TARGET; CUTTING_OVER may have waited for rounds since, for up to ten minutes. */
test('a target that loses a primary after it was green: the source gets no block until it is back', async () => {
  const harness = await createPair(cluster, {
    shards: [2, 4],
    documents: someDocuments(300),
    convergedRestMs: 10_000,
  });
  await harness.backfill();
  await harness.round();
  for (const id of ['n1', 'n2', 'n3']) await cluster.put(harness.source, { id }, someSource(id));
  // What is open keeps the shard's lock: the primary can't come back to its node.
  const { pit_id: held } = parsePit(
    await cluster.send('POST', `/${harness.target}/_search/point_in_time?keep_alive=5m`),
  );
  let isAway = false;
  const takePrimaryAway = async (): Promise<void> => {
    isAway = true;
    const node = await homeOfPrimary(cluster.http, harness.target, 0);
    if (node === undefined) throw new Error('shard 0 has no primary');
    await reroute(cluster.http, { cancel: { index: harness.target, shard: 0, node, allow_primary: true } });
  };
  const faults: Faults = {
    store: (real) => ({
      async replaceMigration(before, after, ...rest) {
        const written = await real.replaceMigration(before, after, ...rest);
        if (after.phase === 'CUTTING_OVER' && !isAway) await takePrimaryAway();
        return written;
      },
    }),
  };
  let looks = 0;
  await drive(harness, {
    ...often,
    faults,
    isOver: async () => {
      expect((await harness.record()).writeBlock).toBeUndefined();
      return isAway && ++looks > 5;
    },
  });
  await cluster.send('DELETE', '/_search/point_in_time', { pit_id: [held] });
  await cluster.send('POST', '/_cluster/reroute?retry_failed=true', {});
  expect(await drive(harness, { ...often, maxLooks: 1000 })).toBe('COMPLETED');
  await harness.expectExact();
});

/** Under the block its takeover costs a fence, a drain and two rounds; where the begun snapshot is lost, a copy and a sweep. */
test('a shard whose owner died in the middle of a round gets its next owner before the block', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(300) });
  await harness.backfill();
  await harness.round();
  for (const id of ['n1', 'n2', 'n3']) await cluster.put(harness.source, { id }, someSource(id));
  const kill = new AbortController();
  const dying: Faults = {
    target: {
      writes: (real) => ({
        bulk(...given) {
          kill.abort(new Error('killed'));
          return real.bulk(...given);
        },
      }),
    },
  };
  await harness.job('replay', 0, { kill: kill.signal, faults: dying }).catch(() => undefined);
  expect(await harness.shard(0)).toHaveProperty('nextSnapshot');
  // Its owner counts as dead by now, and no other worker has taken its job yet.
  harness.passTime(61_000);
  const blockedOver: unknown[] = [];
  const faults: Faults = {
    store: (real) => ({
      async replaceMigration(before, after, ...rest) {
        if (after.writeBlock !== undefined && before.record.writeBlock === undefined) {
          const { writer, nextSnapshot } = await harness.shard(0);
          blockedOver.push([writer.owner, writer.fenceReady, nextSnapshot === undefined]);
        }
        return real.replaceMigration(before, after, ...rest);
      },
    }),
  };
  expect(await drive(harness, { ...often, faults })).toBe('COMPLETED');
  expect(blockedOver).toEqual([[undefined, true, true]]);
  await harness.expectExact();
});
