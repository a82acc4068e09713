import type { MigrationRecord } from '@aosc/contract';
import { ClusterError } from '@aosc/engine';
import { createRecords } from './__tests__/create-records';
import { type Fate, MemoryIndex } from './__tests__/memory-index';
import { claimsOf, orphanAgeMs } from './claims';
import type { CreateOutcome } from './create-migration';
import { documentIds } from './keys';
import { createStore } from './store';

// Some ten thousand starts.
jest.setTimeout(60_000);

const call = { signal: new AbortController().signal };
const answered = (): Fate => 'answered';
const losses = ['no answer', 'never arrived', 'arrives late'] as const;

type Told = CreateOutcome | { readonly type: 'failed'; readonly error: unknown };

const findsNothing = () => Promise.resolve({ documents: [], total: 0, aggregations: undefined });

/**
 * A start on the same two indices each time. Its searches find nothing, as one before a refresh may: claims decide.
 * @param afterMs when it is, by its clock
 */
async function start(index: MemoryIndex, afterMs: number, fateOf: () => Fate = answered) {
  const now = 1_700_000_000_000 + afterMs;
  const { migration, shards } = createRecords('books', 'books2', { startTimeMillis: now });
  const store = createStore({ ...index.connect(fateOf), search: findsNothing }, () => now);
  const told: Told = await store
    .createMigration(migration, shards, call)
    .catch((error: unknown) => ({ type: 'failed', error }));
  return { migration, told };
}

/** Each call is answered, but for those at the positions. */
function losing(...lost: readonly (readonly [position: number, loss: Fate])[]) {
  let calls = 0;
  const fates = new Map(lost);
  const fateOf = (): Fate => fates.get(calls++) ?? 'answered';
  return { fateOf, count: () => calls };
}

async function exists(index: MemoryIndex, { key }: MigrationRecord): Promise<boolean> {
  const store = createStore(index.connect(answered), () => 0);
  return (await store.readMigration(key, call)) !== undefined;
}

function isInDoubt(told: Told): boolean {
  return told.type === 'failed' && told.error instanceof Error && told.error.message.includes('not known');
}

/** Every start that loses one or two of its calls, in each of the ways. */
async function* damagedStarts() {
  const whole = losing();
  await start(new MemoryIndex(), 0, whole.fateOf);
  // A lost last write is followed by a second look.
  const calls = whole.count() + 4;
  for (let first = 0; first < calls; first++) {
    for (let second = first + 1; second <= calls; second++) {
      for (const loss of losses) {
        for (const other of losses) yield losing([first, loss], [second, other]).fateOf;
      }
    }
  }
}

describe('whichever two calls of a start are lost', () => {
  test('a later start gets the indices if and only if the first one has no record', async () => {
    let inDoubt = 0;
    for await (const fateOf of damagedStarts()) {
      const index = new MemoryIndex();
      const first = await start(index, 0, fateOf);
      if (isInDoubt(first.told)) inDoubt += 1;
      index.land();
      const later = await start(index, orphanAgeMs);
      const found = await exists(index, first.migration);
      expect(later.told.type).toBe(found ? 'index_in_use' : 'created');
      if (first.told.type === 'created') expect(found).toBe(true);
      else if (!isInDoubt(first.told)) expect(found).toBe(false);
    }
    expect(inDoubt).toBeGreaterThan(0);
  });

  test.each([0, orphanAgeMs])(
    'one %d ms later never runs beside it, whenever the late calls arrive',
    async (afterMs) => {
      const whole = losing();
      await start(new MemoryIndex(), 0, whole.fateOf);
      for await (const fateOf of damagedStarts()) {
        for (let landsAt = 0; landsAt <= whole.count(); landsAt += 3) {
          const index = new MemoryIndex();
          const first = await start(index, 0, fateOf);
          let calls = 0;
          const other = await start(index, afterMs + 1, () => {
            if (calls++ === landsAt) index.land();
            return 'answered';
          });
          index.land();
          const both = (await exists(index, first.migration)) && (await exists(index, other.migration));
          expect(both).toBe(false);
        }
      }
    },
  );
});

test('a start in doubt says what to do, and keeps its claims', async () => {
  const index = new MemoryIndex();
  const whole = losing();
  await start(new MemoryIndex(), 0, whole.fateOf);
  const last = whole.count() - 1;
  const { migration, told } = await start(
    index,
    0,
    losing([last, 'no answer'], [last + 1, 'never arrived']).fateOf,
  );
  expect(told).toMatchObject({ type: 'failed', error: { kind: 'transient' } });
  expect(String((told as { error: unknown }).error)).toContain(
    `it is not known whether [${migration.migrationId}] was started. Look at _status of [books]`,
  );
  const other = await start(index, 10 * orphanAgeMs);
  expect(other.told).toMatchObject({ type: 'index_in_use', holder: { key: migration.key } });
});

test('an answer 409 that is the echo of the own write: it is a start', async () => {
  const index = new MemoryIndex();
  const real = index.connect(answered);
  const { migration, shards } = createRecords('books', 'books2');
  const store = createStore(
    {
      ...real,
      create: async (id, ...rest) => {
        const position = await real.create(id, ...rest);
        if (id === documentIds.migration(migration.key)) throw new ClusterError('conflict', 'exists already');
        return position;
      },
    },
    () => 0,
  );
  expect((await store.createMigration(migration, shards, call)).type).toBe('created');
  expect((await start(index, orphanAgeMs)).told.type).toBe('index_in_use');
});

test('OpenSearch refuses the last write: nothing is left, and the indices are free at once', async () => {
  const index = new MemoryIndex();
  const real = index.connect(answered);
  const { migration, shards } = createRecords('books', 'books2');
  const refusal = new ClusterError('blocked', 'no', { status: 403, type: 'cluster_block_exception' });
  const store = createStore(
    {
      ...real,
      create: (id, ...rest) =>
        id === documentIds.migration(migration.key) ? Promise.reject(refusal) : real.create(id, ...rest),
    },
    () => 0,
  );
  await expect(store.createMigration(migration, shards, call)).rejects.toBe(refusal);
  expect((await start(index, 1)).told.type).toBe('created');
});

test('a migration whose claims an operator has deleted still has its indices', async () => {
  const index = new MemoryIndex();
  const { migration, told } = await start(index, 0);
  expect(told.type).toBe('created');
  for (const { role, indexName } of claimsOf(migration, 0)) index.forget(documentIds.claim(role, indexName));
  const store = createStore(index.connect(answered), () => 0);
  expect((await store.findMigrationUsing('books2', call))?.key).toBe(migration.key);
  const other = createRecords('books', 'books3');
  expect(await store.createMigration(other.migration, other.shards, call)).toMatchObject({
    type: 'index_in_use',
    holder: { key: migration.key, role: 'source', indexName: 'books' },
  });
  const reverse = createRecords('books2', 'books4');
  expect(await store.createMigration(reverse.migration, reverse.shards, call)).toMatchObject({
    type: 'index_in_use',
    holder: { key: migration.key, role: 'target', indexName: 'books2' },
  });
});

test('a write that a node repeats inside the cluster is the own one: the start does not refuse itself', async () => {
  const whole = losing();
  await start(new MemoryIndex(), 0, whole.fateOf);
  for (let at = 0; at < whole.count(); at++) {
    const index = new MemoryIndex();
    const { migration, told } = await start(index, 0, losing([at, 'repeated']).fateOf);
    expect({ at, type: told.type }).toEqual({ at, type: 'created' });
    expect(await exists(index, migration)).toBe(true);
  }
});

test('of two starts in the same millisecond one has the claims', async () => {
  const index = new MemoryIndex();
  const told = await Promise.all([start(index, 0), start(index, 0)]);
  expect(told.map((each) => each.told.type).sort()).toEqual(['created', 'index_in_use']);
});
