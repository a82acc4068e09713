import { createRecords } from './__tests__/create-records';
import { type Fate, MemoryIndex } from './__tests__/memory-index';
import { createStore, type MigrationStore } from './store';

const call = { signal: new AbortController().signal };
const findsNothing = () => Promise.resolve({ documents: [], total: 0, aggregations: undefined });

function connect(index: MemoryIndex, fateOf: () => Fate = () => 'answered'): MigrationStore {
  return createStore({ ...index.connect(fateOf), search: findsNothing }, () => 0);
}

/** A migration that one process has started, as another one reads it. */
async function startedElsewhere(fateOf?: () => Fate) {
  const index = new MemoryIndex();
  const { migration, shards } = createRecords('books', 'books2', { startTimeMillis: 0 });
  await connect(index).createMigration(migration, shards, call);
  const store = connect(index, fateOf);
  const read = async () => {
    const found = await connect(index).readMigration(migration.key, call);
    if (found === undefined) throw new Error('there is no migration');
    return found;
  };
  return { store, read };
}

test('a record of another process is written once more as it is, and then it is known', async () => {
  const { store, read } = await startedElsewhere();
  const found = await read();
  const confirmed = await store.confirmMigration(found, call);
  expect(confirmed.record).toEqual(found.record);
  expect(confirmed.seqNo).toBeGreaterThan(found.seqNo);
  expect(await read()).toEqual(confirmed);
  expect(await store.confirmMigration(await read(), call)).toEqual(confirmed);
  expect(await read()).toEqual(confirmed);
});

test('what this process has written with an answer needs no other write', async () => {
  const { store, read } = await startedElsewhere();
  const found = await read();
  const written = await store.replaceMigration(found, { ...found.record, lastUpdatedMillis: 5 }, call);
  expect(await store.confirmMigration(await read(), call)).toEqual(written);
  expect(await read()).toEqual(written);
});

test('a write without an answer confirms nothing, although it is there', async () => {
  const fates: Fate[] = ['no answer'];
  const { store, read } = await startedElsewhere(() => fates.shift() ?? 'answered');
  const found = await read();
  const changed = { ...found.record, lastUpdatedMillis: 5 };
  await expect(store.replaceMigration(found, changed, call)).rejects.toMatchObject({ kind: 'transient' });
  const seen = await read();
  expect(seen.record).toEqual(changed);
  expect((await store.confirmMigration(seen, call)).seqNo).toBeGreaterThan(seen.seqNo);
});

test('a record that is another one by now is not confirmed', async () => {
  const { store, read } = await startedElsewhere();
  const found = await read();
  await store.replaceMigration(found, { ...found.record, lastUpdatedMillis: 5 }, call);
  await expect(store.confirmMigration(found, call)).rejects.toMatchObject({ kind: 'conflict' });
});
