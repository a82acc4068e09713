import { type AliasAction, ClusterError } from '@aosc/engine';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

/** The commit is the one call that gives the user's alias to the target. */
const isCommit = (actions: readonly AliasAction[], harness: Harness): boolean =>
  actions.some((action) => 'add' in action && action.add.alias === harness.alias);

/** The scheduler's call fails without an answer; the commit is sent first, or it is kept for later. */
function losingTheCommit(harness: Harness, sent: boolean) {
  const kept: (readonly AliasAction[])[] = [];
  const faults: Faults = {
    aliases: (real) => ({
      async update(actions, options) {
        if (!isCommit(actions, harness)) return real.update(actions, options);
        kept.push(actions);
        if (sent) await real.update(actions, options);
        throw new ClusterError('transient', 'no answer to the commit');
      },
    }),
  };
  return { faults, kept };
}

async function startCommit(sent: boolean) {
  const harness = await createPair(cluster, { shards: [2, 4], documents: someDocuments(60) });
  const { faults, kept } = losingTheCommit(harness, sent);
  await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('no answer to the commit');
  expect(await harness.record()).toMatchObject({
    phase: 'COMPLETING',
    commitRequested: true,
    committed: false,
  });
  expect(kept).toHaveLength(1);
  return { harness, commit: kept[0] ?? [] };
}

const indicesOf = (harness: Harness): Promise<readonly string[]> =>
  cluster.ports.aliases.indicesOf(harness.alias, call);

/** Acknowledged through the alias: it must be what the alias shows afterwards. */
async function expectWritesArriveAt(index: string, harness: Harness): Promise<void> {
  await cluster.put(harness.alias, { id: 'after' }, someSource('after'));
  const [document] = await cluster.ports
    .index(index)
    .state.getDocuments([{ id: 'after', routing: undefined }], call);
  expect(document).toMatchObject({ found: true });
}

test('a swap that lands after an abort changes nothing', async () => {
  const { harness, commit } = await startCommit(false);
  await harness.cancel();
  await harness.advance();
  expect(await harness.record()).toMatchObject({ phase: 'CANCELLED', tokenTaken: true });
  await expectWritesArriveAt(harness.source, harness);

  expect(await cluster.ports.aliases.update(commit, call)).toMatchObject({ type: 'missing' });
  expect(await indicesOf(harness)).toEqual([harness.source]);
  expect(await cluster.ports.index(harness.target).aliases.list('*', call)).toEqual([]);
  await expectWritesArriveAt(harness.source, harness);
});

test('a swap that lands while the abort is at work changes nothing', async () => {
  const { harness, commit } = await startCommit(false);
  await harness.cancel();
  // The abort has the token and has not lifted the block yet: nothing acknowledged can be lost.
  let landed: unknown;
  await harness.advance({
    source: {
      settings: (real) => ({
        async put(settings, options) {
          landed = await cluster.ports.aliases.update(commit, options);
          return real.put(settings, options);
        },
      }),
    },
  });
  expect(landed).toMatchObject({ type: 'missing' });
  expect(await harness.record()).toMatchObject({ phase: 'CANCELLED' });
  expect(await indicesOf(harness)).toEqual([harness.source]);
  await expectWritesArriveAt(harness.source, harness);
});

test.each(['cancelled', 'overdue'])('an abort after the swap completes the migration: %s', async (why) => {
  const { harness } = await startCommit(true);
  if (why === 'cancelled') await harness.cancel();
  else await harness.advance(undefined, { writeBlockMaxMs: -1 });
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({ phase: 'COMPLETED', committed: true, tokenTaken: false });
  expect(end.cutoverContext).toMatchObject({ aliasSwapSucceeded: true });
  expect(await indicesOf(harness)).toEqual([harness.target]);
  await harness.expectExact();
});

test('the block is overdue for good, but the swap has landed: the migration completes', async () => {
  const { harness } = await startCommit(true);
  for (let pass = 0; pass < 4; pass++) {
    await harness.advance(undefined, { writeBlockMaxMs: -1 });
    const shards = await harness.shards();
    for (const { shard, phase } of shards) if (phase === 'COMPLETING') await harness.job('catch_up', shard);
  }
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETED', committed: true });
});

test.each([
  { name: 'landed', sent: true },
  { name: 'did not land', sent: false },
])('a commit without an answer that $name is settled by the next scheduler', async ({ sent }) => {
  const { harness } = await startCommit(sent);
  let commits = 0;
  const end = await harness.runUntil('COMPLETED', {
    aliases: (real) => ({
      update(actions, options) {
        if (isCommit(actions, harness)) commits += 1;
        return real.update(actions, options);
      },
    }),
  });
  expect(commits).toBe(sent ? 0 : 1);
  expect(end).toMatchObject({ phase: 'COMPLETED', committed: true });
  expect(await indicesOf(harness)).toEqual([harness.target]);
  await expectWritesArriveAt(harness.target, harness);
});
