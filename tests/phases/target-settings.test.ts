import type { MigrationRecord } from '@aosc/contract';
import type { ToldMigration } from '../support/told-migration';
import { ClusterError } from '@aosc/engine';
import { readIndexSettings, UnexpectedAnswer } from '@aosc/testkit';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import type { Faults } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments, someSource } from '../races/support/pairs';
import { blocked } from './support/cutover-moments';
import { expectNothingLeft, expectSourceServes, expectSwapped, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** One setting with a value of the user's own, one without a value, and the replicas, which always have one. */
const own = { 'index.refresh_interval': '7s', 'index.number_of_replicas': 1 };
const transient = {
  'index.refresh_interval': '-1',
  'index.number_of_replicas': '0',
  'index.max_result_window': 20_000,
};
const pair: PairOptions = {
  ...guarded,
  shards: [1, 2],
  documents: someDocuments(60),
  targetSettings: own,
  options: { transientTargetSettings: transient },
};

async function settingsOf(harness: Harness): Promise<Readonly<Record<string, string | undefined>>> {
  const settings = await readIndexSettings(cluster.http, harness.target);
  return Object.fromEntries(
    [...Object.keys(transient), 'index.gc_deletes'].map((name) => [name, settings[name]]),
  );
}
const before = {
  'index.refresh_interval': '7s',
  'index.number_of_replicas': '1',
  'index.max_result_window': undefined,
};
const overridden = {
  'index.refresh_interval': '-1',
  'index.number_of_replicas': '0',
  'index.max_result_window': '20000',
};

/** What keeps the target of this one-node cluster from being green. */
const takeReplicasAway = (harness: Harness) =>
  cluster.send('PUT', `/${harness.target}/_settings`, { 'index.number_of_replicas': 0 });

test('they are applied for the copy, remembered, and given back before the cutover begins', async () => {
  const harness = await createPair(cluster, pair);
  await harness.advance();
  expect(await settingsOf(harness)).toEqual({ ...overridden, 'index.gc_deletes': '0s' });
  expect((await harness.record()).targetOriginals).toEqual({
    'index.refresh_interval': '7s',
    'index.number_of_replicas': '1',
    'index.max_result_window': null,
    'index.gc_deletes': null,
  });

  await harness.runUntil('PREPARING_TARGET');
  // What the copy itself needs stays until the swap.
  expect(await settingsOf(harness)).toEqual({ ...before, 'index.gc_deletes': '0ms' });
  expect(await harness.record()).not.toHaveProperty('writeBlock');
  harness.passTime(12_000);
  await harness.advance();
  const text = expect.stringMatching(
    /unassigned=2; the replica of shard \[0\] has no node: same_shard: /,
  ) as string;
  expect(await harness.record()).toMatchObject({ waits: [{ reason: 'target', text }] });

  await takeReplicasAway(harness);
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({ phase: 'COMPLETED' });
  expect(end.waits).toEqual([]);
  const replicas = { 'index.number_of_replicas': '0' };
  expect(await settingsOf(harness)).toEqual({ ...before, ...replicas, 'index.gc_deletes': undefined });
});

test('a durability of async comes back after the swap: until then the copy relies on what the target acknowledges', async () => {
  const durability = 'index.translog.durability';
  const read = async (of: Harness): Promise<string | undefined> =>
    (await readIndexSettings(cluster.http, of.target))[durability];
  const harness = await createPair(cluster, {
    ...pair,
    targetSettings: { ...own, [durability]: 'async' },
    options: { transientTargetSettings: { ...transient, [durability]: 'request' } },
  });
  await harness.runUntil('PREPARING_TARGET');
  // A step later the target has its own settings back, and waits for its replicas.
  await harness.advance();
  expect(await settingsOf(harness)).toEqual({ ...before, 'index.gc_deletes': '0ms' });
  expect(await read(harness)).toBe('request');
  await takeReplicasAway(harness);
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({ phase: 'COMPLETED' });
  expect(await read(harness)).toBe('async');
});

test('{} switches them off: the copy goes on with the settings that the target has', async () => {
  const targetSettings = { 'index.refresh_interval': '7s', 'index.gc_deletes': '45s' };
  const harness = await createPair(cluster, {
    ...pair,
    targetSettings,
    options: { transientTargetSettings: {} },
  });
  await harness.backfill();
  expect(await settingsOf(harness)).toMatchObject({
    'index.refresh_interval': '7s',
    'index.gc_deletes': '0s',
  });
  expect((await harness.record()).targetOriginals).toEqual({ 'index.gc_deletes': '45s' });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await expectSwapped(cluster, harness);
});

test.each(['ACTIVE', 'PREPARING_TARGET'] as const)('a cancel in %s gives them back', async (phase) => {
  const harness = await createPair(cluster, pair);
  if (phase === 'ACTIVE') await harness.backfill();
  else await harness.runUntil(phase);
  await harness.cancel();
  await harness.runUntil('CANCELLED');
  await expectUndone(cluster, harness);
});

test('a failure gives them back', async () => {
  const harness = await createPair(cluster, pair);
  await harness.backfill();
  await cluster.send('PUT', `/${harness.target}/_settings`, { 'index.gc_deletes': '33s' });
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({ phase: 'FAILED', errorMessage: expect.stringContaining('33s') as string });
  await expectUndone(cluster, harness);
});

/** A scheduler that dies when it is about to store such a record; what it has done in the cluster is done. */
const dyingBefore = (isTime: (record: MigrationRecord) => boolean): Faults => ({
  store: (real) => ({
    replaceMigration: (stored, record, call) =>
      isTime(record)
        ? Promise.reject(new ClusterError('transient', 'the scheduler is dead'))
        : real.replaceMigration(stored, record, call),
  }),
});
/** The scheduler dies right after the write, and its answer is lost. */
const dyingAfter = (isTime: (record: MigrationRecord) => boolean): Faults => ({
  store: (real) => ({
    async replaceMigration(stored, record, call) {
      const written = await real.replaceMigration(stored, record, call);
      if (isTime(record)) throw new ClusterError('transient', 'the scheduler is dead');
      return written;
    },
  }),
});

const remembered = ({ targetOriginals, targetPrepared }: MigrationRecord) =>
  targetOriginals !== undefined && !targetPrepared;
const applied = ({ targetPrepared }: MigrationRecord) => targetPrepared;
const restored = ({ targetRestored }: MigrationRecord) => targetRestored;

describe.each<[string, Faults]>([
  ['after it has stored the originals', dyingAfter(remembered)],
  ['between the overrides and their record', dyingBefore(applied)],
  ['between the return of the originals and its record', dyingBefore(restored)],
  ['after the record of their return', dyingAfter(restored)],
])('a scheduler that dies %s loses none of the originals', (_, faults) => {
  async function startDying(): Promise<Harness> {
    const harness = await createPair(cluster, pair);
    await expect(harness.runUntil('COMPLETED', faults)).rejects.toThrow('the scheduler is dead');
    return harness;
  }

  test('when the next one goes on', async () => {
    const harness = await startDying();
    await harness.runUntil('PREPARING_TARGET');
    expect(await settingsOf(harness)).toMatchObject(before);
    await takeReplicasAway(harness);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    await harness.expectExact();
  });

  test('when the migration is cancelled', async () => {
    const harness = await startDying();
    await harness.cancel();
    // This one dies as well, before it has stored the end.
    const dying = harness.runUntil(
      'CANCELLED',
      dyingBefore(({ phase }) => phase === 'CANCELLED'),
    );
    await expect(dying).rejects.toThrow('the scheduler is dead');
    await harness.runUntil('CANCELLED');
    await expectUndone(cluster, harness);
  });
});

describe('settings that the cluster refuses', () => {
  test.each([
    ['an unknown one', { 'index.no_such_setting': '1' }, 'unknown setting [index.no_such_setting]'],
    ['an unchangeable one', { 'index.codec': 'best_compression' }, 'index.codec'],
    ['what to change is said', { 'index.codec': 'best_compression' }, 'options.transient_target_settings'],
  ])('%s: FAILED with the reason', async (_, transientTargetSettings, reason) => {
    const harness = await createPair(cluster, { ...pair, options: { transientTargetSettings } });
    const end = await harness.runUntil('COMPLETED');
    expect(end).toMatchObject({ phase: 'FAILED', errorMessage: expect.stringContaining(reason) as string });
    expect(end.errorMessage).not.toContain('yourself');
    await expectUndone(cluster, harness);
  });

  test('originals that find no room any more: the others are given back, and the end is not held up', async () => {
    const harness = await createPair(cluster, pair);
    await harness.backfill();
    await harness.round();
    const limit = (value: number | null) =>
      cluster.send('PUT', '/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': value } });
    await limit(1);
    let end: ToldMigration;
    try {
      await harness.runUntil('PREPARING_TARGET');
      await harness.advance();
      // As long as the target may take to get green.
      harness.passTime(60_000);
      end = await harness.runUntil('COMPLETED');
    } finally {
      await limit(null);
    }
    expect(end.phase).toBe('FAILED');
    expect(end.errorMessage).toMatch(/maximum .*shards open.*; set back on target index \[.*\] yourself/);
    expect(end.errorMessage).toContain('[index.number_of_replicas] to [1]');
    expect(await settingsOf(harness)).toEqual({ ...before, 'index.number_of_replicas': '0' });
    await cluster.send('PUT', `/${harness.target}/_settings`, { 'index.number_of_replicas': 1 });
    await expectUndone(cluster, harness);
  });
});

describe('what the cluster refuses at the end', () => {
  const forbidden = (): Promise<never> =>
    Promise.reject(new ClusterError('forbidden', 'no permissions for [indices:admin/settings/update]'));

  test.each(['CANCELLED', 'COMPLETED'] as const)(
    'settings: %s all the same, what is left is named, and given back as soon as it is allowed',
    async (end) => {
      const durability = 'index.translog.durability';
      const harness = await createPair(cluster, {
        ...pair,
        targetSettings: { 'index.gc_deletes': '45s', [durability]: 'async' },
        options: { transientTargetSettings: { [durability]: 'request' } },
      });
      const settings = async () => {
        const { [durability]: kept, 'index.gc_deletes': deletes } = await readIndexSettings(
          cluster.http,
          harness.target,
        );
        return { kept, deletes };
      };
      const refusing = (isTime: (record: MigrationRecord) => boolean): Faults => ({
        target: {
          settings: (real) => ({
            put: async (settings, call) =>
              isTime(await harness.record()) ? forbidden() : real.put(settings, call),
          }),
        },
      });
      await harness.backfill();
      if (end === 'CANCELLED') await harness.cancel();
      await harness.runUntil(
        end,
        refusing(({ phase, committed }) => phase === 'CANCELLING' || phase === 'CANCELLED' || committed),
      );
      expect(await harness.record()).toMatchObject({
        phase: end,
        errorMessage: expect.stringMatching(/set back .* yourself: .*durability.*no permissions/) as string,
      });
      // What applications meet has come back before the swap.
      expect(await settings()).toEqual({ kept: 'request', deletes: end === 'COMPLETED' ? '45s' : '0s' });
      await harness.advance();
      expect(await harness.record()).not.toHaveProperty('errorMessage');
      expect(await settings()).toEqual({ kept: 'async', deletes: '45s' });
      await expectNothingLeft(cluster, harness, end === 'COMPLETED');
    },
  );

  test('the commit token, below a block of the target: the cancel waits, says why, and ends when it is gone', async () => {
    const harness = await createPair(cluster, pair);
    const block = (value: true | null) =>
      cluster.send('PUT', `/${harness.target}/_settings`, { 'index.blocks.read_only': value });
    await harness.backfill();
    await block(true);
    await harness.cancel();
    await expect(harness.advance()).rejects.toMatchObject({ kind: 'blocked' });
    const waiting = await harness.record();
    expect(waiting).toMatchObject({
      phase: 'CANCELLING',
      waits: [{ reason: 'refused', text: expect.stringContaining('block') as string }],
    });
    await expect(harness.advance()).rejects.toMatchObject({ kind: 'blocked' });
    expect(await harness.record()).toEqual(waiting);
    expect(harness.events.filter((event) => event === 'step_refused')).toHaveLength(1);
    await block(null);
    await harness.runUntil('CANCELLED');
    expect((await harness.record()).waits).toEqual([]);
    await expectUndone(cluster, harness);
  });
});

test('the disk of the target is full under the write block: applications write again before it is helped', async () => {
  const harness = await createPair(cluster, { ...guarded, shards: [1, 2], documents: someDocuments(40) });
  const setBlock = (value: true | null) =>
    cluster.send('PUT', `/${harness.target}/_settings`, { 'index.blocks.read_only_allow_delete': value });
  await blocked.arrive(cluster, harness);
  await setBlock(true);
  await harness.cancel();
  await expect(harness.advance()).rejects.toMatchObject({ kind: 'blocked' });
  expect(await harness.record()).toMatchObject({
    phase: 'CANCELLING',
    tokenTaken: false,
    writeBlock: { lifted: true },
  });
  await expectSourceServes(cluster, harness);
  await setBlock(null);
  await harness.runUntil('CANCELLED');
  await expectUndone(cluster, harness);
});

describe('overrides of a scheduler that died', () => {
  const late = { ...transient, 'index.gc_deletes': '0s' };

  test.each(['COMPLETED', 'CANCELLED'] as const)(
    'landing after the settings were given back: %s takes them back',
    async (end) => {
      const targetSettings = { ...own, 'index.gc_deletes': '45s' };
      const harness = await createPair(cluster, { ...pair, targetSettings });
      await harness.runUntil('PREPARING_TARGET');
      await cluster.send('PUT', `/${harness.target}/_settings`, late);
      if (end === 'CANCELLED') await harness.cancel();
      expect(await harness.runUntil(end)).toMatchObject({ phase: end });
      expect(await settingsOf(harness)).toEqual({ ...before, 'index.gc_deletes': '45s' });
    },
  );

  test('what gives the settings back, landing after the end: its mark goes', async () => {
    const harness = await createPair(cluster, pair);
    await harness.backfill();
    await harness.cancel();
    await harness.runUntil('CANCELLED');
    await cluster.send('PUT', `/${harness.target}/_settings`, { ...before, 'index.gc_deletes': '0ms' });
    await harness.advance();
    await expectUndone(cluster, harness);
  });

  test('landing after the end: they are taken back', async () => {
    const harness = await createPair(cluster, pair);
    await harness.backfill();
    await harness.cancel();
    await harness.runUntil('CANCELLED');
    await expectUndone(cluster, harness);
    await cluster.send('PUT', `/${harness.target}/_settings`, late);
    await harness.advance();
    expect(harness.events).toContain('settings_late');
    await expectUndone(cluster, harness);
  });

  test('a part of them is what a user wants', async () => {
    const harness = await createPair(cluster, pair);
    await harness.backfill();
    await harness.cancel();
    await harness.runUntil('CANCELLED');
    const { 'index.max_result_window': _window, ...part } = late;
    await cluster.send('PUT', `/${harness.target}/_settings`, part);
    await harness.advance();
    expect(await settingsOf(harness)).toEqual({ ...part, 'index.max_result_window': undefined });
  });
});

describe('a target that does not get green', () => {
  test('FAILED with the reason when the time is over; the source was never blocked', async () => {
    const harness = await createPair(cluster, pair);
    const writes = { taken: 0, refused: 0 };
    let going = true;
    const writing = (async () => {
      for (let n = 0; going; n++) {
        try {
          await cluster.put(harness.alias, { id: `probe${n % 20}` }, someSource('probe'));
          writes.taken++;
        } catch (error) {
          if (!(error instanceof UnexpectedAnswer)) throw error;
          writes.refused++;
        }
      }
    })();
    try {
      await harness.runUntil('PREPARING_TARGET');
      const { targetReadyDeadlineMillis = 0, options } = await harness.record();
      expect(targetReadyDeadlineMillis - Date.now()).toBeLessThanOrEqual(
        options.targetReadyTimeoutSeconds * 1000,
      );
      await harness.advance();
      expect((await harness.record()).phase).toBe('PREPARING_TARGET');
      harness.passTime(options.targetReadyTimeoutSeconds * 1000);
      await harness.runUntil('FAILED', {
        source: {
          settings: () => ({ blockWrites: () => Promise.reject(new Error('the source was blocked')) }),
        },
      });
      const taken = writes.taken;
      while (writes.taken < taken + 10 && writes.refused === 0) await cluster.send('GET', '/');
    } finally {
      going = false;
      await writing;
    }
    const end = await harness.record();
    expect(end.errorMessage).toContain(
      `index [${harness.target}] did not reach GREEN within [60s]; status=YELLOW, active=2, unassigned=2; ` +
        'the replica of shard [0] has no node: same_shard: ',
    );
    expect(end).not.toHaveProperty('writeBlock');
    expect(writes.refused).toBe(0);
    await expectUndone(cluster, harness);
  });

  test('that gets green in time completes', async () => {
    const options = { ...pair.options, targetReadyTimeoutSeconds: 3600 };
    const harness = await createPair(cluster, { ...pair, options });
    await harness.runUntil('PREPARING_TARGET');
    harness.passTime(3_000_000);
    await harness.advance();
    expect((await harness.record()).phase).toBe('PREPARING_TARGET');
    await takeReplicasAway(harness);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  });
});

describe('the write block of the source', () => {
  test.each([
    { own: undefined, remove: false, left: 'true' },
    { own: 'false', remove: true, left: 'false' },
    { own: 'true', remove: false, left: 'true' },
  ])('was $own, to be removed: $remove, is $left after the success', async ({ own, remove, left }) => {
    const harness = await createPair(cluster, {
      ...pair,
      targetSettings: {},
      options: { removeSourceWriteBlockOnSuccess: remove },
    });
    await setBlock(harness, own);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
    expect(await blockOf(harness)).toBe(left);
    await expectNothingLeft(cluster, harness, left === 'true');
  });

  test.each(['false', 'true'])('was %s and is that again after a failure', async (own) => {
    const harness = await createPair(cluster, { ...pair, targetSettings: {}, options: {} });
    await setBlock(harness, own);
    await harness.runUntil('CATCHING_UP');
    await cluster.put(harness.target, { id: 'stranger' }, someSource('stranger'));
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'FAILED' });
    expect(await blockOf(harness)).toBe(own);
    await expectNothingLeft(cluster, harness, own === 'true');
  });

  async function setBlock({ source }: Harness, value: string | undefined): Promise<void> {
    if (value === undefined) return;
    await cluster.send('PUT', `/${source}/_settings`, { 'index.blocks.write': value });
  }
  async function blockOf({ source }: Harness): Promise<string | undefined> {
    return (await readIndexSettings(cluster.http, source))['index.blocks.write'];
  }
});
