import { isTerminalShardPhase } from '@aosc/domain';
import { findLeftovers } from '@aosc/testkit';
import type { Cluster } from '../../races/support/cluster';
import type { Harness } from '../../races/support/harness';
import { someSource } from '../../races/support/pairs';

const call = { signal: new AbortController().signal };

/** For the harness: the guard runs right after the end and gives the indices back, as it does in the service. */
export const guarded = { timing: { guardMs: 60_000 } } as const;

/** The alias is on the source, the source takes writes, and nothing of the migration is left. */
export async function expectUndone(cluster: Cluster, harness: Harness): Promise<void> {
  await expectSourceServes(cluster, harness);
  await expectNothingLeft(cluster, harness, false);
}

/** The alias is on the source, and the source takes writes. */
export async function expectSourceServes(cluster: Cluster, harness: Harness): Promise<void> {
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.source]);
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
  await cluster.put(harness.alias, { id: 'written-after-the-end' }, someSource('written-after-the-end'));
}

/** The alias is on the target, which is the source document by document, and only the block of the source is left. */
export async function expectSwapped(cluster: Cluster, harness: Harness): Promise<void> {
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.target]);
  await harness.expectExact();
  await expectNothingLeft(cluster, harness, true);
}

/**
 * Nothing but what is named is left: no alias, pipeline, point in time, claim or working shard, and every setting of the
 * target is as it was.
 */
export async function expectNothingLeft(
  cluster: Cluster,
  harness: Harness,
  writeBlockExpected: boolean,
): Promise<void> {
  const { key, source, target, targetSettings, sourceSettings } = harness;
  const shards = await harness.shards();
  const pitIds = shards.flatMap(({ snapshot, nextSnapshot, closingPitIds }) => [
    ...closingPitIds,
    ...[snapshot, nextSnapshot].flatMap((held) => (held === undefined ? [] : [held.pitId])),
  ]);
  expect(pitIds).toEqual([]);
  expect(shards.filter(({ phase }) => !isTerminalShardPhase(phase))).toEqual([]);
  const { urls } = cluster;
  expect(
    await findLeftovers({ urls, source, target, key, targetSettings, sourceSettings, writeBlockExpected }),
  ).toEqual([]);
  for (const index of [source, target]) {
    expect(await cluster.store.findMigrationUsing(index, call)).toBeUndefined();
  }
}
