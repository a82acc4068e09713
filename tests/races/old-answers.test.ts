import { type AliasAction, ClusterError, type ClusterView } from '@aosc/engine';
import { borrowCluster, type Cluster } from './support/cluster';
import { type Faults, once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

/** Answers that were right some time ago, as a node gives them that was away: each is kept, and given again later. */
let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

/** The first answer repeats an earlier one. */
function oldFirst<T>(old: T, ask: () => Promise<T>): () => Promise<T> {
  let isFirst = true;
  return () => {
    if (!isFirst) return ask();
    isFirst = false;
    return Promise.resolve(old);
  };
}

const isCommit = (actions: readonly AliasAction[], { alias }: Harness): boolean =>
  actions.some((action) => 'add' in action && action.add.alias === alias);

/** The swap was asked for, and no process knows whether it has happened. */
async function startCommit(sent: boolean): Promise<{ harness: Harness; commit: readonly AliasAction[] }> {
  const harness = await createPair(cluster, { shards: [2, 2], documents: someDocuments(60) });
  let commit: readonly AliasAction[] = [];
  const faults: Faults = {
    aliases: (real) => ({
      async update(actions, options) {
        if (!isCommit(actions, harness)) return real.update(actions, options);
        commit = actions;
        if (sent) await real.update(actions, options);
        throw new ClusterError('transient', 'no answer to the commit');
      },
    }),
  };
  await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('no answer to the commit');
  return { harness, commit };
}

test('an old manager says that the token is gone: the abort does not believe it has taken it', async () => {
  const { harness, commit } = await startCommit(false);
  await harness.cancel();
  const missing = once(() => Promise.reject(new Error('missing')));
  const faults: Faults = {
    aliases: (real) => ({
      async update(actions, options) {
        try {
          await missing();
        } catch {
          return { type: 'missing', reason: 'aliases missing, in a state from before the token' };
        }
        return real.update(actions, options);
      },
    }),
  };
  await expect(harness.advance(faults)).rejects.toThrow('it is taken again');
  // The swap that is on its way still finds the token, so the source must be blocked.
  expect(await harness.record()).toMatchObject({ phase: 'CANCELLING', tokenTaken: false });
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('set');
  expect(await cluster.ports.aliases.update(commit, call)).toMatchObject({ type: 'acknowledged' });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('an old manager does not show that the swap has happened: the abort does not lift the block', async () => {
  const { harness } = await startCommit(true);
  await harness.cancel();
  const { aliases, members } = await cluster.ports.readView(harness.target, call);
  const token = `aosc-token-${harness.key}`;
  expect(aliases).not.toContain(token);
  const before: ClusterView = { members, aliases: [token] };
  const faults: Faults = {
    cluster: (real) => ({
      readView: oldFirst(before, () => real.readView(harness.target, call)),
    }),
  };
  await expect(harness.advance(faults)).rejects.toThrow('it is taken again');
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('set');
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED', tokenTaken: false });
  await harness.expectExact();
});

test('final numbers are not those of a state from before the block', async () => {
  const harness = await createPair(cluster, { shards: [2, 2], documents: someDocuments(60) });
  await harness.backfill();
  await harness.round();
  const { state } = cluster.ports.index(harness.source);
  const routing = await state.readRouting(call);
  const checkpoints = await state.readCheckpoints(call);
  for (let n = 0; n < 20; n++) await cluster.put(harness.alias, { id: `late${n}` }, someSource(`late${n}`));
  await harness.round();
  let underBlock = 0;
  const faults: Faults = {
    source: {
      state: (real) => ({
        async readRouting(options) {
          const now = await real.readRouting(options);
          return now.isWriteBlocked && ++underBlock <= 3 ? routing : now;
        },
        async readCheckpoints(options) {
          const isOld = underBlock < 3;
          const now = await real.readRouting(options);
          return isOld && now.isWriteBlocked ? checkpoints : real.readCheckpoints(options);
        },
      }),
    },
  };
  await harness.runUntil('CATCHING_UP', faults);
  const { finalSeqNos } = await harness.record();
  const finals = await state.readCheckpoints(call);
  expect(finalSeqNos).toEqual(Object.fromEntries(finals.map(({ shard, maxSeqNo }) => [shard, maxSeqNo])));
  expect(underBlock).toBeGreaterThan(3);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('a copy is not one of the past: a snapshot does not follow one of a later term', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(60) });
  await harness.backfill();
  await harness.round();
  const { state } = cluster.ports.index(harness.source);
  const old = await state.readRouting(call);
  // The primary fails and recovers in place: its next term.
  const node = (await cluster.text('GET', `/_cat/shards/${harness.source}?h=node`)).trim();
  const cancel = { index: harness.source, shard: 0, node, allow_primary: true };
  await cluster.send('POST', '/_cluster/reroute', { commands: [{ cancel }] });
  await harness.round();
  expect((await harness.shard(0)).snapshot?.primaryTerm).toBeGreaterThan(1);
  await cluster.put(harness.alias, { id: 'd2' }, someSource('d2'));
  await harness.round({
    source: { state: (real) => ({ readRouting: oldFirst(old, () => real.readRouting(call)) }) },
  });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

test('a target whose durability becomes async under the copy is not trusted', async () => {
  const harness = await createPair(cluster, { shards: [1, 1], documents: someDocuments(60) });
  await harness.backfill();
  await cluster.send('PUT', `/${harness.target}/_settings`, { 'index.translog.durability': 'async' });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({
    phase: 'FAILED',
    errorMessage: expect.stringMatching(/durability\] of target index .* was set to \[async\]/) as string,
  });
});
