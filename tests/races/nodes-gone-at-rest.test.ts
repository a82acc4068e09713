import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminalPhase, type ShardJobKind } from '@aosc/domain';
import { ClusterError, type JobResult, NodeWatch } from '@aosc/engine';
import { systemClock } from '@aosc/runtime';
import { borrowCluster, type Cluster } from './support/cluster';
import { createPair, someDocuments, someSource } from './support/pairs';

/*
 * A node leaves for good while a shard rests. As in production the scheduler and the worker have a NodeWatch each, and the
 * wait for a lost node (120 s) is longer than the block may last (60 s); here 15 s and 9 s.
 */
jest.setTimeout(300_000);
const lostNodeWaitMs = 15_000;
const writeBlockMaxMs = 9_000;
let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

test.each([
  { workers: 1, restMs: 10_000, looks: 20, by: 'the worker, whose looks have no gap' },
  // Redis hands the job to the worker that has waited longest, so that each of them looks too rarely.
  { workers: 6, restMs: 30_000, looks: 8, by: 'the scheduler, before the write block' },
])(
  'the record of a shard at rest forgets it: $workers workers, by $by',
  async ({ workers, restMs, looks }) => {
    let isThere = true;
    const ports = {
      ...cluster.ports,
      readView: async (...args: Parameters<typeof cluster.ports.readView>) => {
        const view = await cluster.ports.readView(...args);
        return isThere ? { ...view, members: [...view.members, 'gone/gone'] } : view;
      },
    };
    const own = Object.create(cluster, { ports: { value: ports } }) as Cluster;
    const harness = await createPair(own, {
      shards: [1, 2],
      documents: someDocuments(100),
      convergedRestMs: restMs,
      lostNodeWaitMs,
      timing: { writeBlockMaxMs },
    });
    const watches = Array.from({ length: workers }, () => new NodeWatch(ports, systemClock, lostNodeWaitMs));
    const workerJob = (kind: ShardJobKind): Promise<JobResult> => {
      const [nodes] = watches.splice(0, 1);
      if (nodes === undefined) throw new Error('no worker');
      watches.push(nodes);
      return harness.job(kind, 0, { nodes });
    };

    await harness.backfill();
    for (let n = 0; n < 501; n++) await cluster.put(harness.source, { id: `w${n}` }, someSource(`w${n}`));
    await workerJob('replay');
    expect((await harness.shard(0)).phase).toBe('CONVERGED');
    isThere = false;
    for (let n = 0; n < looks; n++) {
      await sleep(2000);
      const { type, delayMs } = { delayMs: undefined, ...(await workerJob('replay')) };
      expect(type).toBe('again');
      const { nodes = [] } = (await harness.shard(0)).writer;
      if (!nodes.includes('gone/gone')) break;
      // Its absence has to be watched without a gap.
      expect(delayMs).toBeLessThanOrEqual(2000);
    }
    const isNamed = async (): Promise<boolean> =>
      (await harness.shard(0)).writer.nodes?.includes('gone/gone') === true;
    expect(await isNamed()).toBe(workers > 1);
    for (const id of ['d1', 'd2']) await cluster.remove(harness.source, { id });
    await cluster.put(harness.source, { id: 'n1' }, someSource('n1'));

    // The scheduler, beside the worker.
    let running: Promise<unknown> = Promise.resolve();
    let isRunning = false;
    let restsUntil = 0;
    for (;;) {
      await harness.advance().catch((error: unknown) => {
        if (!(error instanceof ClusterError)) throw error;
      });
      const { phase } = await harness.record();
      if (phase === 'CATCHING_UP') expect(await isNamed()).toBe(false);
      if (isTerminalPhase(phase)) break;
      for (const { kind } of harness.takeDue()) {
        if (isRunning || (kind === 'replay' && Date.now() < restsUntil)) continue;
        isRunning = true;
        running = workerJob(kind)
          .then((result) => (restsUntil = Date.now() + ('delayMs' in result ? result.delayMs : 0)))
          .finally(() => (isRunning = false));
      }
      await sleep(100);
    }
    await running;
    expect((await harness.record()).phase).toBe('COMPLETED');
    await harness.expectExact();
  },
);
