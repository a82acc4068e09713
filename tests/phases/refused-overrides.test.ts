import { readIndexSettings } from '@aosc/testkit';
import { type Cluster, startCluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions, someDocuments } from '../races/support/pairs';
import { expectSwapped, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  const inZone = (zone: string) => ({ settings: { 'node.attr.zone': zone } });
  cluster = await startCluster({ nodes: [inZone('a'), inZone('b')] });
});
afterAll(() => cluster.stop());

const replicas = 'index.number_of_replicas';
const refresh = 'index.refresh_interval';
/** The service's own defaults. */
const pair: PairOptions = {
  ...guarded,
  shards: [1, 2],
  documents: someDocuments(60),
  targetSettings: { [replicas]: 1, [refresh]: '7s' },
  options: { transientTargetSettings: { [replicas]: '0', [refresh]: '-1' } },
};

const setCluster = async (settings: Readonly<Record<string, unknown>>): Promise<void> => {
  if (Object.keys(settings).length === 0) return;
  await cluster.send('PUT', '/_cluster/settings', { persistent: settings });
};
/** A migration into a target whose copies have all started. */
async function createGreenPair(options: PairOptions): Promise<Harness> {
  const harness = await createPair(cluster, options);
  await cluster.send('GET', `/_cluster/health/${harness.target}?wait_for_status=green&timeout=60s`);
  return harness;
}
const unset = (settings: object): Record<string, null> =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, null]));

async function read({ target }: Harness): Promise<readonly (string | undefined)[]> {
  const settings = await readIndexSettings(cluster.http, target);
  return [settings[replicas], settings[refresh]];
}

const balanced = {
  'cluster.routing.allocation.awareness.attributes': 'zone',
  'cluster.routing.allocation.awareness.force.zone.values': 'a,b',
  'cluster.routing.allocation.awareness.balance': true,
};
const slowRefresh = {
  'cluster.default.index.refresh_interval': '30s',
  'cluster.minimum.index.refresh_interval': '30s',
};

test.each([
  {
    what: 'writes wait for two copies',
    pairOf: {
      ...pair,
      targetSettings: { ...pair.targetSettings, 'index.write.wait_for_active_shards': '2' },
    },
    rules: {},
    refused: replicas,
    during: ['1', '-1'],
    said: 'cannot be greater than number of shard copies',
  },
  {
    what: 'zones are balanced',
    pairOf: pair,
    rules: balanced,
    refused: replicas,
    during: ['1', '-1'],
    said: 'expected total copies needs to be a multiple',
  },
  {
    what: "the target's own interval is below a limit that came later",
    pairOf: pair,
    rules: slowRefresh,
    refused: refresh,
    during: ['0', '7s'],
    said: 'cluster.minimum.index.refresh_interval',
  },
])('$what: the override that only saves time is left out, and the status has it', async (given) => {
  const { pairOf, rules, refused, during, said } = given;
  const harness = await createGreenPair(pairOf);
  await setCluster(rules);
  try {
    await harness.advance();
    expect(await read(harness)).toEqual(during);
    const record = await harness.record();
    expect(record.overridesRefused).toEqual({ [refused]: expect.stringContaining(said) as string });
    expect(record.options.transientTargetSettings).not.toHaveProperty([refused]);
    expect(record.targetOriginals).not.toHaveProperty([refused]);
    const { phase, errorMessage } = await harness.runUntil('COMPLETED');
    expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
    expect(await read(harness)).toEqual(['1', '7s']);
    expect(harness.events).toContain('overrides_refused');
    await expectSwapped(cluster, harness);
  } finally {
    await setCluster(unset({ ...balanced, ...slowRefresh }));
  }
});

test('a setting that does more than save time fails the migration, with the option that it came by', async () => {
  const transientTargetSettings = { [replicas]: '0', 'index.merge.policy.max_merged_segment': 'much' };
  const harness = await createGreenPair({ ...pair, options: { transientTargetSettings } });
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({
    phase: 'FAILED',
    errorMessage: expect.stringMatching(
      /\[index.merge.policy.max_merged_segment\] with \[much\].*options\.transient_target_settings/,
    ) as string,
  });
  expect(await read(harness)).toEqual(['1', '7s']);
});

test('a limit that comes during the copy is waited for, and shown, before settings are given back', async () => {
  const harness = await createGreenPair(pair);
  await harness.backfill();
  await harness.round();
  await setCluster(slowRefresh);
  try {
    await harness.runUntil('PREPARING_TARGET');
    harness.passTime(12_000);
    await harness.advance();
    const text = expect.stringMatching(/does not get its settings back: .*minimum\.index\.refresh/) as string;
    expect(await harness.record()).toMatchObject({ waits: [{ reason: 'target', text }] });
  } finally {
    await setCluster(unset(slowRefresh));
  }
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  expect(await read(harness)).toEqual(['1', '7s']);
});
