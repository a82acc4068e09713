import { shardOf } from '@aosc/domain';
import { callRaw, type LoadedDocument } from '@aosc/testkit';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean } from './support/expectations';
import { heldCutover, openCutover } from './support/held-cutover';
import { removeIndices, runMigration } from './support/scenario';

/* Work that only one shard has must not keep the others waiting, nor the migration from its end. */

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ workers: 1 });
});
afterAll(() => environment.stop());

/** The first `count` ids that lie in a shard. */
function idsOfShard(shard: number, count: number, shardCount: number, routingShardCount: number): string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) {
    const id = `far-${n}`;
    if (shardOf({ id, routing: undefined }, { shardCount, routingShardCount, partitionSize: 1 }) === shard)
      ids.push(id);
  }
  return ids;
}

function* withSources(ids: readonly string[]): Generator<LoadedDocument> {
  for (const id of ids) yield { id, source: `{"key":"${id}"}` };
}

test('one shard of 32 takes all the writes: the others do not wait for it, and the swap is exact', async () => {
  const [shards, routingShards, hot] = [32, 32, 5];
  const adopt = idsOfShard(hot, 2_000, shards, routingShards);
  const result = await runMigration(environment, {
    name: 'skew-hot',
    source: { shards, routingShards },
    target: { shards, routingShards },
    documents: 3_000,
    furtherDocuments: withSources(adopt),
    // Without inserts, whose ids lie anywhere. One that is to be made again before any was deleted is one, too: a few are.
    writers: { adopt, rate: 800, routedWriters: 0, mix: { insert: 0, recreate: 5, delete: 5 } },
  });
  expectClean(result);
  const applied = Object.values(result.status.shards).map(({ replay, convergence, catching_up: last }) =>
    [replay, convergence, last].reduce((sum, counters) => sum + (counters?.operations_applied ?? 0), 0),
  );
  const [ofHot = 0] = applied.splice(hot, 1);
  expect(ofHot).toBeGreaterThan(100);
  expect(Math.max(...applied)).toBeLessThan(ofHot / 10);
  await removeIndices(environment, result.migration);
});

test('a shard that loses 100,000 documents between two rounds loses them in the target, and the others go on', async () => {
  const { shards, routingShards } = heldCutover.source;
  const doomed = idsOfShard(0, 100_000, shards, routingShards);
  let roundsBefore = 0;
  const result = await runMigration(
    environment,
    {
      ...heldCutover,
      name: 'skew-deletes',
      documents: 2_000,
      furtherDocuments: withSources(doomed),
      writers: { rate: 200 },
    },
    async (migration) => {
      const roundsOfOther = async (): Promise<number> =>
        (await migration.status()).shards['1']?.convergence?.rounds ?? 0;
      await migration.recordOnce(({ targetRestored }) => targetRestored);
      roundsBefore = await roundsOfOther();
      for (let at = 0; at < doomed.length; at += 10_000) {
        const lines = doomed.slice(at, at + 10_000).map((_id) => `{"delete":{"_id":"${_id}"}}\n`);
        const body = lines.join('');
        await callRaw(environment.http, { method: 'POST', path: `/${migration.alias}/_bulk`, body });
      }
      await migration.waitFor(
        '100,000 deletes in the target',
        ({ shards: now }) => (now['0']?.convergence?.deletes_applied ?? 0) >= doomed.length,
      );
      await migration.waitFor(
        'rounds of the other shard',
        ({ shards: now }) => (now['1']?.convergence?.rounds ?? 0) > roundsBefore,
      );
      await openCutover(environment, migration);
    },
  );
  expectClean(result);
  await removeIndices(environment, result.migration);
});
