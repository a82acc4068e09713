import { fenceAlias, isSetupAlias, tokenAlias } from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { IndexPorts } from '../../ports/index-ports';
import { AliasIndex, type Fate } from '../../shard/fence/__tests__/alias-index';
import { makeFencesAndToken } from './make-fences';

const key = '0123456789abcdef0123';
const record = { key, sourceShardCount: 2 };
const made = [tokenAlias(key), fenceAlias(key, 0, 1), fenceAlias(key, 1, 1)];
const fates: readonly Fate[] = ['answered', 'no answer', 'never arrived', 'arrives late'];

/** Every choice of fates for the first calls of a series. */
function* choices(length: number): Generator<readonly Fate[]> {
  if (length === 0) yield [];
  else for (const fate of fates) for (const rest of choices(length - 1)) yield [fate, ...rest];
}

function createContext(index: AliasIndex, name = 0): Parameters<typeof makeFencesAndToken>[0] {
  let drawn = 0;
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
    random: () => (name * 1000 + drawn++) / 2 ** 32,
  };
  const target: Pick<IndexPorts, 'index'> & { cluster: AliasIndex['cluster'] } = {
    index: 'books2',
    cluster: index.cluster,
  };
  return {
    target: target as unknown as IndexPorts,
    signal: new AbortController().signal,
    clock,
    assertMandate: () => undefined,
  };
}

/** As a step does that is taken again until the record can say that the target is prepared. */
async function prepare(index: AliasIndex): Promise<void> {
  const context = createContext(index);
  for (let tries = 0; tries < 20; tries++) {
    try {
      if (await makeFencesAndToken(context, record)) return;
    } catch (error) {
      if (!isClusterError(error, 'transient')) throw error;
    }
  }
  throw new Error('not prepared after 20 tries');
}

test.each([0, 1, 2, 3, 4])(
  'whatever becomes of the calls, after %d more: what has been taken away never comes back',
  async (delay) => {
    for (const chosen of choices(5)) {
      let calls = 0;
      const index = new AliasIndex([], () => chosen[calls++] ?? 'answered');
      index.landAfter = delay;
      await prepare(index);
      expect(index.open()).toEqual(expect.arrayContaining(made));
      // An abort has taken the token, and takeovers have moved the fences on.
      index.take(made);
      index.landAll();
      expect(index.returned).toEqual([]);
      expect(index.open().filter((alias) => !isSetupAlias(key, alias))).toEqual([]);
    }
  },
);

test('a second driver that was armed unseen by the first, and lands when the first has gone on: nothing comes back', async () => {
  const index = new AliasIndex([]);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  /** Runs something before the second change of a driver. */
  const driver = (name: number, beforeSecond: () => Promise<void>): ReturnType<typeof createContext> => {
    const context = createContext(index, name);
    const { cluster } = context.target;
    let changes = 0;
    const aliases: typeof cluster.aliases = {
      ...cluster.aliases,
      update: async (...args) => {
        if (++changes === 2) await beforeSecond();
        return cluster.aliases.update(...args);
      },
    };
    return { ...context, target: { ...context.target, cluster: { ...cluster, aliases } } };
  };
  let second: Promise<boolean> | undefined;
  const first = driver(1, async () => {
    let isArmed = (): void => undefined;
    const armed = new Promise<void>((resolve) => (isArmed = resolve));
    second = makeFencesAndToken(
      driver(2, () => (isArmed(), held)),
      record,
    );
    await armed;
  });
  expect(await makeFencesAndToken(first, record)).toBe(true);
  index.take(made);
  letGo();
  expect(await second).toBe(false);
  expect(index.returned).toEqual([]);
});

test('a state that does not have the setup alias yet is not acted upon', async () => {
  const index = new AliasIndex([]);
  const context = createContext(index);
  const { cluster } = context.target;
  const past = { ...cluster, readView: () => Promise.resolve({ members: [], aliases: [] }) };
  await expect(
    makeFencesAndToken({ ...context, target: { ...context.target, cluster: past } }, record),
  ).rejects.toThrow('does not have it');
  expect(index.open().filter((alias) => !isSetupAlias(key, alias))).toEqual([]);
});

test('a target that is gone gets nothing', async () => {
  const index = new AliasIndex([]);
  const context = createContext(index);
  const missing = () => Promise.resolve({ type: 'missing' as const, reason: 'no such index' });
  const { cluster } = context.target;
  const gone = { ...cluster, aliases: { ...cluster.aliases, update: missing } };
  expect(await makeFencesAndToken({ ...context, target: { ...context.target, cluster: gone } }, record)).toBe(
    false,
  );
});
