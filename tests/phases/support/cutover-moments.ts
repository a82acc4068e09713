import { ClusterError } from '@aosc/engine';
import type { Cluster } from '../../races/support/cluster';
import type { Faults } from '../../races/support/faults';
import type { Harness } from '../../races/support/harness';
import { someSource } from '../../races/support/pairs';

/** A determined step of a migration. */
export interface Moment {
  /** as it reads in a title */
  readonly when: string;
  /** Brings a migration there. Its scheduler and workers do nothing then until the test has them go on. */
  readonly arrive: (cluster: Cluster, harness: Harness) => Promise<void>;
}

const lost = (what: string) => new ClusterError('transient', `${what}: the answer is lost`);

/** A scheduler that gets no further than a certain call. */
async function breakOff(harness: Harness, faults: Faults): Promise<void> {
  await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('the answer is lost');
}

/** Something is done right before a block is asked for. */
export const beforeBlock = (act: () => Promise<unknown>): Faults => ({
  source: {
    settings: (real) => ({
      async blockWrites(...args) {
        await act();
        return real.blockWrites(...args);
      },
    }),
  },
});

/** Something is done right before the call that gives the user's alias to the target. */
export const beforeSwapCall = (harness: Harness, act: () => Promise<unknown>): Faults => ({
  aliases: (real) => ({
    async update(actions, call) {
      if (actions.some((action) => 'add' in action && action.add.alias === harness.alias)) await act();
      return real.update(actions, call);
    },
  }),
});

/** Under the block, with something for the last round to bring. */
async function catchUp(cluster: Cluster, harness: Harness): Promise<void> {
  const write = () => cluster.put(harness.alias, { id: 'last' }, someSource('last'));
  expect(await harness.runUntil('CATCHING_UP', beforeBlock(write))).toMatchObject({ phase: 'CATCHING_UP' });
}

export const converged: Moment = {
  when: 'ACTIVE',
  async arrive(_, harness) {
    await harness.backfill();
    await harness.round();
  },
};

export const announced: Moment = {
  when: 'CUTTING_OVER, the block announced and not there',
  async arrive(_, harness) {
    await breakOff(
      harness,
      beforeBlock(() => Promise.reject(lost('block'))),
    );
    expect(await harness.record()).toMatchObject({ phase: 'CUTTING_OVER', writeBlock: { confirmed: false } });
  },
};

export const blocked: Moment = { when: 'CATCHING_UP, before the last rounds', arrive: catchUp };

export const caughtUp: Moment = {
  when: 'CATCHING_UP, after the last rounds',
  async arrive(cluster, harness) {
    await catchUp(cluster, harness);
    await harness.advance();
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
    const shards = await harness.shards();
    // Handed back by their last rounds; the scheduler ends them after the swap.
    expect(shards.map(({ phase }) => phase)).toEqual(shards.map(() => 'COMPLETING'));
    expect((await harness.record()).phase).toBe('CATCHING_UP');
  },
};

export const beforeCounts: Moment = {
  when: 'COMPLETING, before the counts',
  async arrive(_, harness) {
    await breakOff(harness, {
      target: { state: () => ({ countCopies: () => Promise.reject(lost('count')) }) },
    });
    expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', commitRequested: false });
  },
};

export const beforeSwap: Moment = {
  when: 'COMPLETING, between the counts and the swap',
  async arrive(_, harness) {
    await breakOff(
      harness,
      beforeSwapCall(harness, () => Promise.reject(lost('swap'))),
    );
    const asked = { phase: 'COMPLETING', commitRequested: true, committed: false };
    expect(await harness.record()).toMatchObject(asked);
  },
};

/** The swap has happened, and no scheduler knows it. */
export const swapped: Moment = {
  when: 'COMPLETING, after a swap without an answer',
  async arrive(_, harness) {
    await breakOff(harness, {
      aliases: (real) => ({
        async update(actions, call) {
          const update = await real.update(actions, call);
          if (actions.some((action) => 'add' in action && action.add.alias === harness.alias))
            throw lost('swap');
          return update;
        },
      }),
    });
    const asked = { phase: 'COMPLETING', commitRequested: true, committed: false };
    expect(await harness.record()).toMatchObject(asked);
  },
};

export const underTheBlock = [blocked, caughtUp, beforeCounts, beforeSwap] as const;
