import { AoscError } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';

/**
 * A migration holds its indices, its records and points in time until it ends. A record does not say which caller
 * started it, so this counts all running migrations of the indices that a credential is limited to.
 * @throws AoscError rate_limited
 */
export async function checkMigrationShare(
  { store, limitedMigrations }: Pick<ApiDependencies, 'store' | 'limitedMigrations'>,
  caller: Pick<Caller, 'id' | 'isLimited' | 'mayUseIndex'>,
  call: Call,
): Promise<void> {
  if (!caller.isLimited) return;
  const running = (await store.listActive(call)).filter(
    ({ record }) => !isTerminalPhase(record.phase) && caller.mayUseIndex(record.sourceIndex),
  );
  if (running.length < limitedMigrations) return;
  throw new AoscError(
    'rate_limited',
    `[${caller.id}] may have ${limitedMigrations} migrations of its indices run at once, and as many do; wait until one ` +
      'has ended, cancel one, or ask an administrator to start it or to raise [AOSC_API_LIMITED_MIGRATIONS]',
  );
}
