import type { ShardJobKind } from '@aosc/domain';
import { type Barrier, createBarrier, type Faults } from '../../races/support/faults';
import type { Harness } from '../../races/support/harness';

/**
 * Runs a job on the first shard up to a barrier that its ports are given, and keeps it there.
 * @returns lets it go on, to its end
 */
export async function holdJob(
  harness: Harness,
  kind: ShardJobKind,
  faults: (barrier: Barrier) => Faults,
): Promise<() => Promise<void>> {
  const barrier = createBarrier();
  const job = harness.job(kind, 0, { faults: faults(barrier) });
  const ended = job.then((result) => {
    throw new Error(`the ${kind} job has ended before it could be held: ${result.type}`);
  });
  await Promise.race([barrier.reached, ended]);
  ended.catch(() => undefined);
  return async () => {
    barrier.open();
    await job;
  };
}

/** Held right after the snapshot was opened: no record names it yet. */
export const afterOpening = (barrier: Barrier): Faults => ({
  source: {
    snapshots: (real) => ({
      async open(...args) {
        const pitId = await real.open(...args);
        await barrier.pass();
        return pitId;
      },
    }),
  },
});

/** Held before a bulk. @param sent bulks that go through before */
export const beforeBulk =
  (sent: number) =>
  (barrier: Barrier): Faults => {
    let bulks = 0;
    return {
      target: {
        writes: (real) => ({
          async bulk(...args) {
            if (bulks++ >= sent) await barrier.pass();
            return real.bulk(...args);
          },
        }),
      },
    };
  };
