import type { IndexDescription, WriteBlockState } from '@aosc/engine';
import type { Cluster } from './cluster';
import type { Faults } from './faults';
import type { Harness } from './harness';
import { createPair, type PairOptions, someSource } from './pairs';

const call = { signal: new AbortController().signal };

/** Whether new shards may start. */
export const allocate = (cluster: Cluster, which: 'all' | 'none') =>
  cluster.send('PUT', '/_cluster/settings', {
    transient: { 'cluster.routing.allocation.enable': which === 'all' ? null : which },
  });

export const pairByFiles = (cluster: Cluster, parts: Partial<PairOptions> = {}): Promise<Harness> =>
  createPair(cluster, { shards: [2, 4], byFiles: true, ...parts });

export const targetOf = (cluster: Cluster, { target }: Harness): Promise<IndexDescription | undefined> =>
  cluster.ports.index(target).state.describe(call);

export const blockOf = (cluster: Cluster, { source }: Harness): Promise<WriteBlockState> =>
  cluster.ports.index(source).settings.readWriteBlock(call);

/** The target is in the cluster's state, and its shards start when the test says so. */
export async function makeTarget(cluster: Cluster, harness: Harness, faults?: Faults): Promise<void> {
  await allocate(cluster, 'none');
  while ((await harness.record()).targetUuid === '') await harness.advance(faults);
}

/** Its shards start, and its first fences are made. */
export async function prepareTarget(cluster: Cluster, harness: Harness): Promise<void> {
  await allocate(cluster, 'all');
  await harness.prepare();
}

export async function complete(harness: Harness): Promise<void> {
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
  await harness.expectExact();
}

/** The target that was made is gone, and applications write to the source as if nothing had been. */
export async function expectUntouched(cluster: Cluster, harness: Harness): Promise<void> {
  const { source, alias } = harness;
  expect(await blockOf(cluster, harness)).toBe('none');
  const { aliases } = (await cluster.ports.index(source).state.describe(call)) ?? {};
  expect([...(aliases?.keys() ?? [])]).toEqual([alias]);
  await cluster.put(source, { id: 'afterwards' }, someSource('afterwards'));
}
