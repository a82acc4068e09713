import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from './support/drive';
import { createBarrier } from './support/faults';
import { someSource } from './support/pairs';
import {
  killPrimaryUnderLook,
  reachUnacknowledged,
  startStalledPair,
  unlessItPasses,
} from './support/stalled-pair';
import { type StalledReplication, startStalledReplication } from './support/stalled-replication';

jest.setTimeout(600_000);

let stalled: StalledReplication;
beforeAll(async () => {
  stalled = await startStalledReplication();
});
afterEach(() => stalled.heal());
afterAll(() => stalled.stop());

/**
 * The worker's last write says that the shard has converged. The primary of the records shows it, and its replica never gets it.
 * The scheduler reads it there and goes on to PREPARING_TARGET. With the primary the convergence is gone: the shard is CONVERGING
 * for whoever reads it then, and no phase that follows looks whether it is not. Its next owner is draining when CUTTING_OVER is
 * written, begins no round any more, and hands it back as it is. No job of CATCHING_UP takes a shard that has not converged.
 */
test('a convergence that only the primary shows: no write block before the shard has converged', async () => {
  const { cluster } = stalled;
  const harness = await startStalledPair(stalled, {
    convergedRestMs: 10_000,
    options: { convergenceThresholdPerShard: 10, targetReadyTimeoutSeconds: 3600 },
  });
  await harness.backfill();
  expect((await harness.shard(0)).phase).toBe('CONVERGING');

  await reachUnacknowledged(stalled, harness, 'replay', 'CONVERGED');

  await killPrimaryUnderLook(stalled, harness, () => true);
  expect((await harness.shard(0)).phase).toBe('CONVERGING');

  for (let n = 0; n < 100; n++) await cluster.put(harness.alias, { id: `n${n}` }, someSource(`n${n}`));
  // Its owner counts as dead by now, and the scheduler gives its job to the next one.
  harness.passTime(16_000);
  for (let pass = 0; pass < 100 && (await harness.record()).phase !== 'PREPARING_TARGET'; pass++) {
    await harness.advance().catch(unlessItPasses);
  }
  await harness.advance().catch(unlessItPasses);
  // The next owner drains what the dead one may have sent, and the scheduler goes on meanwhile.
  const draining = createBarrier();
  const next = harness.job('replay', 0, {
    takeOver: true,
    faults: {
      target: {
        tasks: (real) => ({
          async listBulks(...given) {
            await draining.pass();
            return real.listBulks(...given);
          },
        }),
      },
    },
  });
  await Promise.race([
    draining.reached,
    next.then((r) => {
      throw new Error(JSON.stringify(r));
    }),
  ]);
  for (let pass = 0; pass < 50 && (await harness.record()).phase !== 'CUTTING_OVER'; pass++) {
    await harness.advance().catch(unlessItPasses);
    await sleep(100);
  }
  draining.open();
  await next;
  harness.takeDue();

  expect(await drive(harness, { maxLooks: 150, pauseMs: 50 })).toBe('COMPLETED');
  await harness.expectExact();
});
