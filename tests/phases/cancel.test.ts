import type { MigrationPhase, ShardPhase } from '@aosc/contract';
import { ClusterError } from '@aosc/engine';
import { type ApiUnderTest, errorLike, startApi } from '../../apps/api/src/__tests__/api-under-test';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { expectSwapped, expectUndone, guarded } from './support/ends';
import { afterOpening, beforeBulk, holdJob } from './support/held-jobs';

jest.setTimeout(600_000);

let cluster: Cluster;
let aosc: ApiUnderTest;
beforeAll(async () => {
  cluster = await borrowCluster();
  aosc = await startApi({ openSearch: cluster.urls.join(','), redis: cluster.redisUrl });
});
afterAll(async () => {
  await aosc.close();
  await cluster.stop();
});

const cancel = ({ source }: Harness) => aosc.api('POST', `/_plugins/_aosc/${source}/_cancel`);
const accepted = (phase: MigrationPhase) => ({ status: 200, body: { accepted: true, phase } });
const refused = (harness: Harness, why: string) =>
  errorLike(409, 'illegal_state_exception', `Cannot cancel migration for [${harness.source}] — ${why}`);

const pair: PairOptions = {
  ...guarded,
  shards: [1, 2],
  documents: someDocuments(120),
  targetSettings: { 'index.refresh_interval': '7s' },
};
/** With a replica of its own settings the target of a one-node cluster does not get green. */
const neverGreen: PairOptions = {
  ...pair,
  targetSettings: { 'index.refresh_interval': '7s', 'index.number_of_replicas': 1 },
  options: {
    transientTargetSettings: { 'index.refresh_interval': '-1', 'index.number_of_replicas': '0' },
  },
};

async function converge(harness: Harness): Promise<undefined> {
  await harness.backfill();
  await harness.round();
}

const write = (harness: Harness, id: string) => cluster.put(harness.alias, { id }, someSource(id));
const lost = (what: string) => new ClusterError('transient', `${what}: the answer is lost`);

/** A scheduler that gets no further than a certain call. */
async function breakOff(harness: Harness, faults: Faults): Promise<void> {
  await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('the answer is lost');
}

interface Moment {
  /** as it reads after "a cancel in" */
  readonly when: string;
  readonly phase: MigrationPhase;
  readonly shard: ShardPhase;
  readonly pair?: PairOptions;
  /** Brings the migration there. @returns lets a job that is held on the way go on */
  readonly arrive: (harness: Harness) => Promise<(() => Promise<void>) | undefined>;
}

const moments: readonly Moment[] = [
  {
    when: 'ACTIVE, before anything was done',
    phase: 'ACTIVE',
    shard: 'PENDING',
    arrive: () => Promise.resolve(undefined),
  },
  {
    when: 'ACTIVE, shards PENDING',
    phase: 'ACTIVE',
    shard: 'PENDING',
    async arrive(harness) {
      await harness.advance();
      return undefined;
    },
  },
  {
    when: 'ACTIVE, a shard ACQUIRING_LEASE with a snapshot that is not recorded yet',
    phase: 'ACTIVE',
    shard: 'ACQUIRING_LEASE',
    async arrive(harness) {
      await harness.advance();
      return holdJob(harness, 'backfill', afterOpening);
    },
  },
  {
    when: 'ACTIVE, a shard BACKFILLING',
    phase: 'ACTIVE',
    shard: 'BACKFILLING',
    async arrive(harness) {
      await harness.advance();
      return holdJob(harness, 'backfill', beforeBulk(2));
    },
  },
  {
    when: 'ACTIVE, a shard CONVERGING in the middle of a round',
    phase: 'ACTIVE',
    shard: 'CONVERGING',
    async arrive(harness) {
      await harness.backfill();
      await write(harness, 'new');
      return holdJob(harness, 'replay', beforeBulk(0));
    },
  },
  { when: 'ACTIVE, shards CONVERGED', phase: 'ACTIVE', shard: 'CONVERGED', arrive: converge },
  {
    when: 'PREPARING_TARGET, a target that is not green',
    phase: 'PREPARING_TARGET',
    shard: 'CONVERGED',
    pair: neverGreen,
    async arrive(harness) {
      expect(await harness.runUntil('PREPARING_TARGET')).toMatchObject({ targetRestored: true });
      return undefined;
    },
  },
  {
    when: 'CUTTING_OVER, before the write block, a last round under way',
    phase: 'CUTTING_OVER',
    shard: 'CONVERGED',
    async arrive(harness) {
      await converge(harness);
      await write(harness, 'new');
      const letGo = await holdJob(harness, 'replay', beforeBulk(0));
      expect(await harness.runUntil('CUTTING_OVER')).not.toHaveProperty('writeBlock');
      return letGo;
    },
  },
  {
    when: 'CUTTING_OVER, the write block announced and not yet there',
    phase: 'CUTTING_OVER',
    shard: 'CONVERGED',
    async arrive(harness) {
      await breakOff(harness, {
        source: { settings: () => ({ blockWrites: () => Promise.reject(lost('block')) }) },
      });
      expect(await harness.record()).toMatchObject({ writeBlock: { confirmed: false } });
      return undefined;
    },
  },
  {
    when: 'CUTTING_OVER, the write block there and not yet known of',
    phase: 'CUTTING_OVER',
    shard: 'CONVERGED',
    async arrive(harness) {
      await breakOff(harness, {
        source: {
          settings: (real) => ({
            async blockWrites(...args) {
              await real.blockWrites(...args);
              throw lost('block');
            },
          }),
        },
      });
      await expect(write(harness, 'blocked')).rejects.toThrow('cluster_block_exception');
      return undefined;
    },
  },
  {
    when: 'CATCHING_UP',
    phase: 'CATCHING_UP',
    shard: 'CONVERGED',
    async arrive(harness) {
      await harness.runUntil('CATCHING_UP');
      await expect(write(harness, 'blocked')).rejects.toThrow('cluster_block_exception');
      return undefined;
    },
  },
  {
    when: 'CATCHING_UP, a shard in the middle of its last round',
    phase: 'CATCHING_UP',
    shard: 'CATCHING_UP',
    async arrive(harness) {
      await harness.runUntil('CATCHING_UP', writingBeforeTheBlock(harness));
      return holdJob(harness, 'catch_up', beforeBulk(0));
    },
  },
  {
    when: 'COMPLETING before the swap, its shards have had their last rounds',
    phase: 'COMPLETING',
    shard: 'COMPLETING',
    async arrive(harness) {
      await breakOff(harness, {
        target: { state: () => ({ countCopies: () => Promise.reject(lost('count')) }) },
      });
      expect(await harness.record()).toMatchObject({ commitRequested: false });
      return undefined;
    },
  },
];

/** So that the last round has something to bring. */
const writingBeforeTheBlock = (harness: Harness): Faults => ({
  source: {
    settings: (real) => ({
      async blockWrites(...args) {
        await write(harness, 'last');
        return real.blockWrites(...args);
      },
    }),
  },
});

test.each(moments)('a cancel in $when leaves no trace', async ({ phase, shard, arrive, ...moment }) => {
  const harness = await createPair(cluster, moment.pair ?? pair);
  const letGo = await arrive(harness);
  expect({ phase: (await harness.record()).phase, shard: (await harness.shard(0)).phase }).toEqual({
    phase,
    shard,
  });

  expect(await cancel(harness)).toEqual(accepted('CANCELLING'));
  expect(await cancel(harness)).toEqual(accepted('CANCELLING'));
  // No worker needs to work on a shard: the test holds the job still.
  const end = await harness.runUntil('CANCELLED');
  expect(end).toMatchObject({ phase: 'CANCELLED', committed: false });
  expect(end).not.toHaveProperty('errorMessage');
  expect(end.transitionHistory.slice(-2).map((entry) => entry.phase)).toEqual(['CANCELLING', 'CANCELLED']);
  await letGo?.();

  expect((await harness.shard(0)).phase).toBe(shard === 'COMPLETED' ? 'COMPLETED' : 'CANCELLED');
  expect(await cancel(harness)).toEqual(
    refused(harness, 'migration is already in terminal phase: CANCELLED'),
  );
  await expectUndone(cluster, harness);
});

test('ten cancels at once: each is accepted, and the migration is cancelled once', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(harness)));
  expect(answers).toEqual(answers.map(() => accepted('CANCELLING')));
  const { transitionHistory } = await harness.runUntil('CANCELLED');
  expect(transitionHistory.filter(({ phase }) => phase === 'CANCELLING')).toHaveLength(1);
  await expectUndone(cluster, harness);
});

/** The call that swaps the alias. */
const swap = (harness: Harness, meet: (send: () => Promise<unknown>) => Promise<never>): Faults => ({
  aliases: (real) => ({
    update(actions, call) {
      const send = () => real.update(actions, call);
      const swaps = actions.some((action) => 'add' in action && action.add.alias === harness.alias);
      return swaps ? meet(send) : send();
    },
  }),
});

test.each<[string, (harness: Harness) => Faults, string]>([
  [
    'the swap was asked for and may be on its way',
    (harness) => swap(harness, () => Promise.reject(lost('swap'))),
    'the alias swap is under way',
  ],
  [
    'the swap has happened and no process knows',
    (harness) =>
      swap(harness, async (send) => {
        await send();
        throw lost('swap');
      }),
    'the alias swap is under way',
  ],
  [
    'the swap has happened and the rest is not done',
    () => ({
      aliases: (real) => ({
        update: (actions, call) =>
          actions.some((action) => 'remove' in action && action.remove.alias.startsWith('aosc-committed-'))
            ? Promise.reject(lost('clean-up'))
            : real.update(actions, call),
      }),
    }),
    'the alias swap has happened',
  ],
])('a cancel in COMPLETING when %s is refused, and the migration completes', async (_, faults, why) => {
  const harness = await createPair(cluster, pair);
  await breakOff(harness, faults(harness));
  expect(await harness.record()).toMatchObject({ phase: 'COMPLETING', commitRequested: true });
  const answers = await Promise.all([cancel(harness), cancel(harness)]);
  expect(answers).toEqual([refused(harness, why), refused(harness, why)]);
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  expect(await cancel(harness)).toEqual(
    refused(harness, 'migration is already in terminal phase: COMPLETED'),
  );
  await expectSwapped(cluster, harness);
});

test('a cancel in FAILING is answered with that phase and changes nothing: it ends FAILED with its reason', async () => {
  const harness = await createPair(cluster, pair);
  await harness.runUntil('CATCHING_UP');
  await cluster.put(harness.target, { id: 'stranger' }, someSource('stranger'));
  // An abort that has not even got the token yet.
  await breakOff(harness, { aliases: () => ({ update: () => Promise.reject(lost('token')) }) });
  expect((await harness.record()).phase).toBe('FAILING');
  expect(await cancel(harness)).toEqual(accepted('FAILING'));
  expect(await cancel(harness)).toEqual(accepted('FAILING'));
  const end = await harness.runUntil('FAILED');
  expect(end).toMatchObject({
    phase: 'FAILED',
    errorMessage: expect.stringContaining('Doc count') as string,
  });
  expect(await cancel(harness)).toEqual(refused(harness, 'migration is already in terminal phase: FAILED'));
  await expectUndone(cluster, harness);
});
