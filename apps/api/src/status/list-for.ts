import { listSizes } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationListing, MigrationStore } from '@aosc/store';
import { mayUseIndex, type Principal } from '../auth/principal';
import type { ListRequest } from './list-request';

/**
 * Lists what a caller may see: migrations whose source it may use, as in `_status`. For a caller that is limited to
 * some indices it searches the newest `listSizes.max`, and `truncated` says when there are more.
 */
export async function listFor(
  principal: Principal | undefined,
  wanted: ListRequest,
  store: Pick<MigrationStore, 'listActive' | 'listMigrations'>,
  call: Call,
): Promise<MigrationListing> {
  if (principal?.indexPatterns === undefined) return store.listMigrations(wanted, call);
  const listing = await store.listMigrations({ ...wanted, size: listSizes.max }, call);
  const visible = listing.migrations.filter(({ sourceIndex }) => mayUseIndex(principal, sourceIndex));
  const active = (await store.listActive(call)).filter(
    ({ record }) => !isTerminalPhase(record.phase) && mayUseIndex(principal, record.sourceIndex),
  );
  return {
    ...listing,
    migrations: visible.slice(0, wanted.size),
    truncated: listing.truncated || visible.length > wanted.size,
    activeCount: active.length,
  };
}
