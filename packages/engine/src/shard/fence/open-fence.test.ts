import { fenceAlias } from '@aosc/domain';
import { AliasIndex, type Fate } from './__tests__/alias-index';
import { createContext, RecordStore } from '../session/__tests__/record-store';
import type { ShardContext } from '../context';
import { OwnershipLostError, ShardFailedError } from '../errors';
import { closeOlderEpochs } from './fence';
import { claimShard } from '../session/claim-shard';
import type { ShardSession } from '../session/shard-session';
import { isClusterError } from '../../ports/cluster-error';

const fates: readonly Fate[] = ['answered', 'no answer', 'never arrived', 'arrives late'];

/** A shard with its first fence, and the sleeps that were waited out. */
function createBench(fateOf?: () => Fate) {
  const store = new RecordStore();
  const { key } = store.record;
  const fence = (epoch: number): string => fenceAlias(key, 0, epoch);
  const index = new AliasIndex([fence(1)], fateOf);
  const base = createContext(store);
  const sleeps: number[] = [];
  let drawn = 0;
  const target: unknown = {
    ...base.target,
    index: 'books2',
    state: index.state,
    aliases: index.aliases,
    cluster: index.cluster,
    tasks: { listBulks: () => Promise.resolve({ running: [], answered: ['node'] }) },
  };
  const context: ShardContext = {
    ...base,
    migration: { key, targetIndex: 'books2', targetUuid: index.uuid } as ShardContext['migration'],
    target: target as ShardContext['target'],
    log: { info: () => undefined } as Partial<ShardContext['log']> as ShardContext['log'],
    timing: { ...base.timing, requestTimeoutMs: 60_000 },
    clock: {
      ...base.clock,
      random: () => drawn++ / 2 ** 32,
      sleep: (ms) => {
        sleeps.push(ms);
        return Promise.resolve();
      },
    },
  };
  return { store, index, context, fence, sleeps };
}

async function claim(context: ShardContext, owner = 'me', staleAfterMs = 5000): Promise<ShardSession> {
  const never = new AbortController().signal;
  const signals = { stop: never, kill: never, assertInTime: () => undefined };
  const timing = { staleAfterMs, confirmMs: 0 };
  const claimed = await claimShard(context, owner, signals, 'replay', timing);
  if (claimed.type !== 'claimed') throw new Error(`the claim is ${claimed.type}`);
  return claimed.session;
}

/** As a writer does: again and again, until there is an answer. */
async function moveOn(session: ShardSession): Promise<void> {
  await session.openNextEpoch();
  for (;;) {
    try {
      await closeOlderEpochs(session);
      return;
    } catch (error) {
      if (!isClusterError(error, 'transient')) throw error;
    }
  }
}

/** Every choice of fates for the first calls of a series. */
function* choices(length: number): Generator<readonly Fate[]> {
  if (length === 0) yield [];
  else for (const fate of fates) for (const rest of choices(length - 1)) yield [fate, ...rest];
}

describe('whatever becomes of the calls that move a fence, and whenever late ones land', () => {
  test.each([0, 1, 2, 3, 4])('after %d more calls: a closed fence is never open again', async (delay) => {
    for (const chosen of choices(4)) {
      let calls = 0;
      const { index, context, fence } = createBench(() => chosen[calls++] ?? 'answered');
      index.landAfter = delay;
      const session = await claim(context);
      for (const epoch of [2, 3, 4]) {
        await moveOn(session);
        expect(index.open()).toEqual([fence(epoch)]);
        for (let closed = 1; closed < epoch; closed++) index.mayNotReturn(fence(closed));
      }
      index.landAll();
      expect(index.open()).toEqual([fence(4)]);
      expect(index.returned).toEqual([]);
    }
  });
});

test('a fence that an unanswered call has opened: nodes are asked to confirm it, and nothing is waited out', async () => {
  const lost: Fate[] = ['no answer'];
  const { index, context, fence, sleeps } = createBench(() => lost.shift() ?? 'answered');
  const session = await claim(context);
  await moveOn(session);
  expect(index.open()).toEqual([fence(2)]);
  expect(index.changes).toBe(2);
  expect(sleeps).toEqual([]);
});

test('a node that lags behind: the request time-out is waited out', async () => {
  const { index, context, sleeps } = createBench();
  index.acknowledges = false;
  await moveOn(await claim(context));
  expect(sleeps).toEqual([60_000]);
});

test.each([0, 1, 2, 3, 4])(
  'fences that somebody has removed, whatever becomes of the calls, after %d more: none that is closed comes back',
  async (delay) => {
    for (const chosen of choices(5)) {
      let calls = 0;
      const { index, context, fence } = createBench(() => chosen[calls++] ?? 'answered');
      index.landAfter = delay;
      const session = await claim(context);
      index.clear();
      await moveOn(session);
      expect(index.open()).toContain(fence(2));
      await moveOn(session);
      index.mayNotReturn(fence(2));
      index.landAll();
      expect(index.open()).toContain(fence(3));
      expect(index.returned).toEqual([]);
    }
  },
);

test('a fence that somebody has removed is made again, in the next epoch', async () => {
  const { index, context, fence } = createBench();
  const session = await claim(context);
  index.clear();
  await moveOn(session);
  expect(index.open()).toEqual([fence(2)]);
});

test('an index that somebody has made in the place of the target gets no fence', async () => {
  const { index, context } = createBench();
  const session = await claim(context);
  index.clear();
  index.uuid = 'uuid of theirs';
  await expect(moveOn(session)).rejects.toThrow(ShardFailedError);
  expect(index.changes).toBe(0);
});

test('a writer that wakes up after another has moved the fence leaves it alone and stops', async () => {
  const { index, context, fence } = createBench();
  const sleeper = await claim(context);
  await sleeper.openNextEpoch();
  await moveOn(await claim(context, 'next', 0));
  const before = index.open();
  await expect(closeOlderEpochs(sleeper)).rejects.toThrow(OwnershipLostError);
  expect(index.open()).toEqual(before);
  expect(before).toEqual([fence(4)]);
  expect(sleeper.isOwned).toBe(false);
});

test('a writer that looks while another moves the fence leaves it alone and stops', async () => {
  const { index, context } = createBench();
  const sleeper = await claim(context);
  await sleeper.openNextEpoch();
  index.beforeUpdate = async () => moveOn(await claim(context, 'next', 0));
  await expect(closeOlderEpochs(sleeper)).rejects.toThrow(OwnershipLostError);
  expect(index.open()).toHaveLength(1);
});

test('a writer whose migration has ended, with all fences gone, makes none', async () => {
  const { store, index, context } = createBench();
  const session = await claim(context);
  await session.openNextEpoch();
  store.change((record) => ({ ...record, writer: { epoch: 3, fenceReady: false, heartbeatAtMillis: 0 } }));
  index.clear();
  await expect(closeOlderEpochs(session)).rejects.toThrow(OwnershipLostError);
  expect(index.open()).toEqual([]);
});
