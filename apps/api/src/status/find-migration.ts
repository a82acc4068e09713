import { AoscError, type MigrationRecord, shorten } from '@aosc/contract';
import type { Call, Stored } from '@aosc/engine';
import { migrationKey, type MigrationStore } from '@aosc/store';
import { mayUseIndex, type Principal, requireIndex } from '../auth/principal';

/** How a request names a migration: by its source (the running or the newest migration of it), or by its id. */
export type MigrationName = { readonly index: string } | { readonly id: string };

/** Longer than any id, which is two names of indices and a moment. */
const maxIdBytes = 600;

/** @returns undefined: there is no such migration */
export async function findMigration(
  store: Pick<MigrationStore, 'findMigrationBySource' | 'readMigration'>,
  name: MigrationName,
  call: Call,
): Promise<Stored<MigrationRecord> | undefined> {
  if ('index' in name) return store.findMigrationBySource(name.index, call);
  if (Buffer.byteLength(name.id) > maxIdBytes) return undefined;
  const found = await store.readMigration(migrationKey(name.id), call);
  return found?.record.migrationId === name.id ? found : undefined;
}

/**
 * Returns the migration of a name, if the caller may see it. When the caller may not use the source of an id, the
 * answer is the same as for an unknown id, so it reveals nothing of other indices.
 * @throws AoscError not_found
 */
export function requireVisible<T extends { readonly sourceIndex: string }>(
  principal: Principal | undefined,
  name: MigrationName,
  found: T | undefined,
): T {
  if (found !== undefined && mayUseIndex(principal, found.sourceIndex)) return found;
  const what = 'index' in name ? `index [${name.index}]` : `id [${shorten(name.id)}]`;
  throw new AoscError('not_found', `No migration found for ${what}`);
}

/** @throws AoscError forbidden: the caller may not use the source that the request names */
export function requireName(principal: Principal | undefined, name: MigrationName): void {
  if ('index' in name) requireIndex(principal, name.index);
}
