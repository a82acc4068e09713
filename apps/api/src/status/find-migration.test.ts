import { migrationKey } from '@aosc/store';
import { createMigration } from '../__tests__/create-migration';
import type { Principal } from '../auth/principal';
import { findMigration, requireVisible } from './find-migration';

const call = { signal: new AbortController().signal };
const record = createMigration();
const stored = { record, seqNo: 1, primaryTerm: 1 };
const store = {
  findMigrationBySource: (source: string) =>
    Promise.resolve(source === record.sourceIndex ? stored : undefined),
  readMigration: (key: string) =>
    Promise.resolve(key === migrationKey(record.migrationId) ? stored : undefined),
};
const limited: Principal = { name: 'o', kind: 'api_key', roles: ['read'], indexPatterns: ['orders-*'] };

test('a migration is found by its source and by its id', async () => {
  expect(await findMigration(store, { index: record.sourceIndex }, call)).toBe(stored);
  expect(await findMigration(store, { id: record.migrationId }, call)).toBe(stored);
});

test('an id that no migration has, or that is longer than any, finds none', async () => {
  expect(await findMigration(store, { id: `${record.migrationId}0` }, call)).toBeUndefined();
  const anything = { ...store, readMigration: () => Promise.resolve(stored) };
  expect(await findMigration(anything, { id: 'x'.repeat(601) }, call)).toBeUndefined();
  expect(await findMigration(anything, { id: 'other' }, call)).toBeUndefined();
});

test('an id of a source that the caller may not use is answered like one that no migration has', () => {
  const name = { id: record.migrationId };
  const hidden = () => requireVisible(limited, name, record);
  const missing = () => requireVisible(limited, name, undefined);
  expect(hidden).toThrow(`No migration found for id [${record.migrationId}]`);
  expect(missing).toThrow(`No migration found for id [${record.migrationId}]`);
  expect(requireVisible(undefined, name, record)).toBe(record);
});
