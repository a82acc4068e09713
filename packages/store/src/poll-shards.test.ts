import { MemoryIndex } from './__tests__/memory-index';
import { createRecords } from './__tests__/create-records';
import { createStore } from './store';

const call = { signal: new AbortController().signal };

/** Four migrations, and the requests that are sent from then on. */
async function startSome() {
  let requests = 0;
  const index = new MemoryIndex().connect(() => {
    requests += 1;
    return 'answered';
  });
  const store = createStore(index, () => 1_700_000_000_000);
  const all = ['a', 'b', 'c', 'd'].map((name) => createRecords(name, `${name}2`));
  for (const { migration, shards } of all) await store.createMigration(migration, shards, call);
  const count = async <T>(question: () => Promise<T>) => {
    const before = requests;
    const answer = await question();
    return { answer, requests: requests - before };
  };
  return { store, all, count };
}

test('shards of many migrations are polled with the requests of one, in the order asked for', async () => {
  const { store, all, count } = await startSome();
  const names = all.flatMap(({ shards }) => shards.map(({ key, shard }) => ({ key, shard }))).reverse();
  const alone = await count(() => store.pollShards(all[0]?.migration.key ?? '', 2, call));
  const first = await count(() => store.pollShardsNamed([...names, { key: 'none', shard: 0 }], call));
  expect(first.requests).toBe(alone.requests);
  expect(first.answer.map(({ record: { key, shard } }) => ({ key, shard }))).toEqual(names);
});

test('migrations that run are listed with one request', async () => {
  const { store, all, count } = await startSome();
  const { answer, requests } = await count(() => store.listRunning(call));
  expect(requests).toBe(1);
  expect(
    answer.map(({ key, sourceIndex, sourceShardCount }) => ({ key, sourceIndex, sourceShardCount })),
  ).toEqual(
    all.map(({ migration: { key, sourceIndex, sourceShardCount } }) => ({
      key,
      sourceIndex,
      sourceShardCount,
    })),
  );
});
