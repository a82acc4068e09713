import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from '../races/support/cluster';
import { createPair, someDocuments } from '../races/support/pairs';
import { transformed } from '../races/support/transformed';
import { expectSwapped, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
/** Only the second node runs pipelines. */
beforeAll(async () => {
  cluster = await startCluster({ nodes: [{ roles: ['cluster_manager', 'data'] }, { roles: ['ingest'] }] }, 1);
});
afterAll(() => cluster.stop());

test('the last ingest node leaves during the copy: the status says so, and the copy goes on when one is back', async () => {
  const transform = transformed('ctx._source.seen = true', ({ source, ...identity }) => ({
    ...identity,
    source: { ...source, seen: true },
  }));
  const harness = await createPair(cluster, {
    ...guarded,
    shards: [1, 2],
    documents: someDocuments(300),
    transform,
  });
  const ingest = cluster.nodes[1];
  if (ingest === undefined) throw new Error('there is no second node');
  await harness.advance();
  await ingest.stop();
  const copy = harness.job('backfill', 0);
  while ((await harness.shard(0)).flow?.pausedUntilMillis === undefined) await pause(200);
  harness.passTime(12_000);
  await harness.advance();
  const text = expect.stringContaining('no node of the cluster has the role [ingest]') as string;
  expect(await harness.record()).toMatchObject({ phase: 'ACTIVE', waits: [{ reason: 'target', text }] });
  await ingest.restart();
  await copy;
  await harness.advance();
  expect((await harness.record()).waits).toEqual([]);

  await harness.round();
  await ingest.stop();
  // PREPARING_TARGET looks before it blocks the source: the last round would need such a node.
  await harness.runUntil('PREPARING_TARGET');
  for (let looks = 0; looks < 5; looks++) await harness.advance();
  harness.passTime(12_000);
  await harness.advance();
  const waits = [{ reason: 'gap', text }];
  expect(await harness.record()).toMatchObject({ phase: 'PREPARING_TARGET', waits });
  await ingest.restart();
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
  await expectSwapped(cluster, harness);
});
