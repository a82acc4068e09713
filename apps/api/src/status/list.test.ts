import type { MigrationRecord } from '@aosc/contract';
import { createMigration } from '../__tests__/create-migration';
import type { Principal } from '../auth/principal';
import { listFor } from './list';

const call = { signal: new AbortController().signal };
const limited: Principal = { name: 'o', kind: 'api_key', roles: ['read'], indexPatterns: ['orders-*'] };
const all: Principal = { ...limited, indexPatterns: undefined };

function createStore(migrations: readonly MigrationRecord[], truncated = false) {
  const asked: number[] = [];
  return {
    asked,
    listMigrations: ({ size }: { readonly size: number }) => {
      asked.push(size);
      return Promise.resolve({
        migrations,
        shardPhases: new Map(),
        truncated,
        activeCount: migrations.length,
      });
    },
    listActive: () => Promise.resolve(migrations.map((record) => ({ record, seqNo: 0, primaryTerm: 1 }))),
  };
}

const orders = [1, 2, 3].map((number) => createMigration({ sourceIndex: `orders-${number}` }));
const ended = createMigration({ sourceIndex: 'orders-4', phase: 'COMPLETED' });
const books = createMigration({ sourceIndex: 'books', targetIndex: 'orders-9' });
const wanted = { phases: undefined, size: 50 };

test.each([
  ['nobody', undefined],
  ['a credential for all indices', all],
] as const)('%s: the list as it is', async (_who, principal) => {
  const store = createStore([...orders, books]);
  const listing = await listFor(principal, wanted, store, call);
  expect(listing).toMatchObject({ activeCount: 4, truncated: false });
  expect(store.asked).toEqual([50]);
});

test('a credential for some indices sees and counts those alone', async () => {
  const store = createStore([books, ...orders, ended]);
  const listing = await listFor(limited, wanted, store, call);
  expect(listing.migrations).toEqual([...orders, ended]);
  expect(listing).toMatchObject({ activeCount: 3, truncated: false });
  expect(store.asked).toEqual([500]);
});

test('what is cut off is told', async () => {
  const cut = await listFor(limited, { ...wanted, size: 2 }, createStore([...orders]), call);
  expect([cut.migrations.length, cut.truncated]).toEqual([2, true]);
  const more = await listFor(limited, wanted, createStore([books], true), call);
  expect([more.migrations.length, more.truncated]).toEqual([0, true]);
});
