import type { MigrationRecord } from '@aosc/contract';
import { fenceAlias, parseFenceAlias, tokenAlias } from '@aosc/domain';
import { exampleMigration } from '@aosc/testkit';
import { AliasIndex, type Fate } from './__tests__/alias-index';
import { createContext, RecordStore } from '../session/__tests__/record-store';
import type { ShardContext } from '../context';
import { OwnershipLostError, ShardFailedError } from '../errors';
import { closeOlderEpochs } from './fence';
import { claimShard } from '../session/claim-shard';
import type { ShardSession } from '../session/shard-session';
import { isClusterError } from '../../ports/cluster-error';

const fates: readonly Fate[] = ['answered', 'no answer', 'never arrived', 'arrives late'];

const key = '0123456789abcdef0123';
const token = tokenAlias(key);
/** Without the commit token. */
const fencesOf = (index: AliasIndex): readonly string[] => index.open().filter((name) => name !== token);

/** A shard with its first fence, and the sleeps that were waited out. */
function createBench(fateOf?: () => Fate) {
  const store = new RecordStore();
  const fence = (epoch: number): string => fenceAlias(key, 0, epoch);
  const index = new AliasIndex([token, fence(1)], fateOf);
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
        expect(fencesOf(index)).toEqual([fence(epoch)]);
        for (let closed = 1; closed < epoch; closed++) index.mayNotReturn(fence(closed));
      }
      index.landAll();
      expect(fencesOf(index)).toEqual([fence(4)]);
      expect(index.returned).toEqual([]);
    }
  });
});

test('a fence that an unanswered call has opened: nodes are asked to confirm it, and nothing is waited out', async () => {
  const lost: Fate[] = ['no answer'];
  const { index, context, fence, sleeps } = createBench(() => lost.shift() ?? 'answered');
  const session = await claim(context);
  await moveOn(session);
  expect(fencesOf(index)).toEqual([fence(2)]);
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
      index.clear([token]);
      await moveOn(session);
      expect(fencesOf(index)).toContain(fence(2));
      await moveOn(session);
      index.mayNotReturn(fence(2));
      index.landAll();
      expect(fencesOf(index)).toContain(fence(3));
      expect(index.returned).toEqual([]);
    }
  },
);

test('a fence that somebody has removed is made again, in the next epoch', async () => {
  const { index, context, fence } = createBench();
  const session = await claim(context);
  index.clear([token]);
  await moveOn(session);
  expect(fencesOf(index)).toEqual([fence(2)]);
});

test('an index that somebody has made in the place of the target gets no fence', async () => {
  const { index, context } = createBench();
  const session = await claim(context);
  index.clear([token]);
  index.uuid = 'uuid of theirs';
  await expect(moveOn(session)).rejects.toThrow(ShardFailedError);
  expect(index.changes).toBe(0);
});

test('a writer that wakes up after another has moved the fence leaves it alone and stops', async () => {
  const { index, context, fence } = createBench();
  const sleeper = await claim(context);
  await sleeper.openNextEpoch();
  await moveOn(await claim(context, 'next', 0));
  const before = fencesOf(index);
  await expect(closeOlderEpochs(sleeper)).rejects.toThrow(OwnershipLostError);
  expect(fencesOf(index)).toEqual(before);
  expect(before).toEqual([fence(4)]);
  expect(sleeper.isOwned).toBe(false);
});

test('a writer that looks while another moves the fence leaves it alone and stops', async () => {
  const { index, context } = createBench();
  const sleeper = await claim(context);
  await sleeper.openNextEpoch();
  index.beforeUpdate = async () => moveOn(await claim(context, 'next', 0));
  await expect(closeOlderEpochs(sleeper)).rejects.toThrow(OwnershipLostError);
  expect(fencesOf(index)).toHaveLength(1);
});

test('a writer whose migration has ended, with all fences gone, makes none', async () => {
  const { store, index, context } = createBench();
  const session = await claim(context);
  await session.openNextEpoch();
  store.change((record) => ({ ...record, writer: { epoch: 3, fenceReady: false, heartbeatAtMillis: 0 } }));
  index.clear([token]);
  await expect(closeOlderEpochs(session)).rejects.toThrow(OwnershipLostError);
  expect(fencesOf(index)).toEqual([]);
});

describe('the commit token is gone', () => {
  const readMigration = (phase: MigrationRecord['phase']) => () =>
    Promise.resolve({ record: exampleMigration({ key, phase }), seqNo: 1, primaryTerm: 1 });

  test.each(['COMPLETING', 'COMPLETED', 'CANCELLING', 'FAILING', 'FAILED'] as const)(
    'of a migration in %s: a writer whose fence is gone makes none and stops',
    async (phase) => {
      const { index, context } = createBench();
      const session = await claim({
        ...context,
        store: { ...context.store, readMigration: readMigration(phase) },
      });
      index.clear();
      await expect(moveOn(session)).rejects.toThrow(OwnershipLostError);
      expect(index.open()).toEqual([]);
    },
  );

  test('and nobody has ended the migration: the shard fails, and says what is missing', async () => {
    const { index, context } = createBench();
    const session = await claim({
      ...context,
      store: { ...context.store, readMigration: readMigration('ACTIVE') },
    });
    index.clear();
    const failed = moveOn(session);
    await expect(failed).rejects.toThrow(ShardFailedError);
    await expect(failed).rejects.toThrow(`aliases [${token}] missing`);
    expect(index.open()).toEqual([]);
  });

  test('taken while a writer makes its fence: nothing is open', async () => {
    const { index, context } = createBench();
    const session = await claim({
      ...context,
      store: { ...context.store, readMigration: readMigration('COMPLETING') },
    });
    index.clear([token]);
    await session.openNextEpoch();
    // The placeholder is there when the swap takes what it has seen before.
    index.beforeUpdate = () => {
      index.beforeUpdate = () => {
        index.take([token]);
        return Promise.resolve();
      };
      return Promise.resolve();
    };
    await expect(closeOlderEpochs(session)).rejects.toThrow(OwnershipLostError);
    expect(index.open().filter((name) => parseFenceAlias(name) !== undefined)).toEqual([]);
  });
});
