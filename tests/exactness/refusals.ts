import { allSetAside, setsAside } from '@aosc/domain';
import { compareAndSet, describeSetAside } from '@aosc/engine';
import type { ComparisonReport } from '@aosc/testkit';
import type { Cluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';
import { takingMapping } from '../support/refused-mapping';

const signal = new AbortController().signal;

/** What a person does about documents that the cutover waits for. */
export async function decide(cluster: Cluster, harness: Harness, accepts: boolean): Promise<void> {
  const { store } = cluster;
  const record = await harness.record();
  const shards = await harness.shards();
  if (!setsAside(record) || record.phase !== 'PREPARING_TARGET' || allSetAside(shards).length === 0) return;
  if (accepts) {
    const { digest } = await describeSetAside(record, shards);
    await compareAndSet<unknown>(async () => {
      const stored = await store.readMigration(harness.key, { signal });
      if (stored === undefined) throw new Error('the migration is gone');
      const accepted = { ...stored.record, setAsideAccepted: { digest, atMillis: 1 } };
      return { write: () => store.replaceMigration(stored, accepted, { signal }) };
    });
    return;
  }
  await cluster.send('PUT', `/${harness.target}/_mapping`, takingMapping);
  for (const { shard } of shards) {
    await compareAndSet<unknown>(async () => {
      const stored = await store.readShard(harness.key, shard, { signal });
      const ids = stored?.record.setAside?.map(({ id }) => id) ?? [];
      if (stored === undefined || ids.length === 0) return { result: undefined };
      return { write: () => store.replaceShard(stored, { ...stored.record, repairIds: ids }, { signal }) };
    });
  }
}

/** Exactly what was accepted is missing. @returns what is wrong */
export async function judgeMissing(
  harness: Harness,
  { mismatches }: Pick<ComparisonReport, 'mismatches'>,
): Promise<readonly string[]> {
  const expected = allSetAside(await harness.shards()).length;
  const { total, missing } = mismatches;
  return total === expected && missing.count === expected
    ? []
    : [`${expected} documents are set aside, ${missing.count} are missing, ${total} differ`];
}
