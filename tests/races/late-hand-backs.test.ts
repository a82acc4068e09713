import { ClusterError } from '@aosc/engine';
import { isQuiet } from '@aosc/domain';
import { borrowCluster, type Cluster } from './support/cluster';
import { createBarrier, type Faults } from './support/faults';
import { createPair, someDocuments, someSource } from './support/pairs';

/*
 * A hand-back lands, and its answer is lost. Before the job asks again, another job has had the shard and handed it
 * back as well: both records name no owner, in one epoch.
 */

jest.setTimeout(200_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

test.each([true, false])(
  'a record that the next owner has handed back is not the own one (answer lost: %s)',
  async (isLost) => {
    const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(100) });
    await harness.backfill();
    await harness.round();
    // A round of nothing but deletes is quiet at its end.
    await cluster.remove(harness.source, { id: 'd1' });
    const landed = createBarrier();
    let hasLanded = false;
    const first = harness.job('replay', 0, {
      faults: {
        store: (real) => ({
          async replaceShard(before, after, call) {
            const written = await real.replaceShard(before, after, call);
            if (hasLanded || after.writer.owner !== undefined) return written;
            hasLanded = true;
            await landed.pass();
            if (isLost) throw new ClusterError('transient', 'no answer');
            return written;
          },
        }),
      },
    });
    await landed.reached;
    const released = await harness.shard(0);
    expect([isQuiet(released.writer), released.writer.owner]).toEqual([true, undefined]);
    const writesBefore: Faults = {
      source: {
        settings: (real) => ({
          async blockWrites(...args) {
            for (let n = 0; n < 20; n++) await cluster.put(harness.source, { id: `n${n}` }, someSource('n'));
            return real.blockWrites(...args);
          },
        }),
      },
    };
    expect((await harness.runUntil('CATCHING_UP', writesBefore)).phase).toBe('CATCHING_UP');
    await harness.job('catch_up', 0);
    const ended = await harness.shard(0);
    expect([ended.phase, isQuiet(ended.writer)]).toEqual(['COMPLETING', false]);
    landed.open();
    // That it has lost the shard is all that the late job may come to.
    await first.catch((error: unknown) => expect(String(error)).toMatch(/taken the shard over/));
    expect(await harness.shard(0)).toEqual(ended);
    // A bulk of the last round still runs somewhere, and could come once more: the swap must wait.
    const running: Faults = {
      target: {
        tasks: (real) => ({
          async listBulks(...args) {
            return { ...(await real.listBulks(...args)), running: ['a bulk of the last round'] };
          },
        }),
      },
    };
    await harness.advance(running);
    expect((await harness.record()).committed).toBe(false);
    await harness.runUntil('COMPLETED');
    await harness.expectExact();
  },
);
