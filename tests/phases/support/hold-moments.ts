import { ClusterError } from '@aosc/engine';
import type { Faults } from '../../races/support/faults';
import type { Harness } from '../../races/support/harness';

/** A determined step of a cutover that holds writers. */
export interface HoldMoment {
  /** as it reads in a title */
  readonly when: string;
  /** whether writers wait, and whether the block may be there, which refuses them */
  readonly isHeld: boolean;
  readonly mayBeBlocked: boolean;
  readonly arrive: (harness: Harness) => Promise<void>;
}

/** One hold longer than any test, so that it ends when the test says so. */
export const holds = { holdWriters: true, maxHoldMs: 60_000, maxPauseMs: 3_600_000 } as const;

const lost = () => Promise.reject(new ClusterError('transient', 'the answer is lost'));

/** Something in place of the change of the source's settings that brings the hold, or the block after it. */
export const atPut = (what: 'hold' | 'block', act: (put: () => Promise<void>) => Promise<void>): Faults => ({
  source: {
    settings: (real) => ({
      put(settings, ...rest) {
        const isBlock = settings['index.blocks.write'] === true;
        const isHold = settings['index.routing.allocation.enable'] === 'none';
        const put = () => real.put(settings, ...rest);
        return (what === 'block' ? isBlock : isHold) ? act(put) : put();
      },
    }),
  },
});

const afterwards = async (put: () => Promise<void>): Promise<void> => {
  await put();
  return lost();
};

async function breakOff(harness: Harness, faults: Faults): Promise<void> {
  await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('the answer is lost');
}

const announcedHold: HoldMoment = {
  when: 'with a hold that is written down and not there',
  isHeld: false,
  mayBeBlocked: false,
  async arrive(harness) {
    await breakOff(harness, atPut('hold', lost));
    expect(await harness.record()).toMatchObject({ phase: 'CUTTING_OVER', writeHold: { givenBack: false } });
  },
};

export const unansweredHold: HoldMoment = {
  when: 'with a hold whose answer is lost',
  isHeld: true,
  mayBeBlocked: false,
  async arrive(harness) {
    await breakOff(harness, atPut('hold', afterwards));
    expect(await harness.record()).toMatchObject({ phase: 'CUTTING_OVER', writeHold: { givenBack: false } });
  },
};

export const held: HoldMoment = {
  when: 'before the last rounds',
  isHeld: true,
  mayBeBlocked: false,
  async arrive(harness) {
    expect(await harness.runUntil('CATCHING_UP')).toMatchObject({ writeHold: { givenBack: false } });
    expect(await harness.record()).not.toHaveProperty('writeBlock');
  },
};

export const caughtUp: HoldMoment = {
  when: 'after the last rounds',
  isHeld: true,
  mayBeBlocked: false,
  async arrive(harness) {
    await held.arrive(harness);
    await harness.advance();
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
    const shards = await harness.shards();
    expect(shards.map(({ phase }) => phase)).toEqual(shards.map(() => 'COMPLETING'));
  },
};

const announcedBlock: HoldMoment = {
  when: 'with a block that is written down and not there',
  isHeld: true,
  mayBeBlocked: true,
  async arrive(harness) {
    await breakOff(harness, atPut('block', lost));
    expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', writeBlock: { confirmed: false } });
  },
};

const unansweredBlock: HoldMoment = {
  when: 'with a block whose answer is lost',
  isHeld: false,
  mayBeBlocked: true,
  async arrive(harness) {
    await breakOff(harness, atPut('block', afterwards));
    expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', writeBlock: { confirmed: false } });
  },
};

export const holdMoments = [
  announcedHold,
  unansweredHold,
  held,
  caughtUp,
  announcedBlock,
  unansweredBlock,
] as const;
