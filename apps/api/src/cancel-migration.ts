import { AoscError, type MigrationPhase, type MigrationRecord } from '@aosc/contract';
import { isTerminalPhase, mayMove, moveMigration } from '@aosc/domain';
import { compareAndSet } from '@aosc/engine';
import type { ApiDependencies } from './dependencies';
import { wake } from './wake';

/**
 * What a cancel does to a migration.
 * @param who asks for it; undefined: the API asks for no credentials
 * @returns the record to write, or the phase that already leads to the end that was asked for
 * @throws AoscError conflict when it can't be cancelled any more
 */
export function decideCancel(
  record: MigrationRecord,
  nowMillis: number,
  who?: string,
): { readonly write: MigrationRecord } | { readonly already: MigrationPhase } {
  const { phase } = record;
  const refuse = (why: string) =>
    new AoscError('conflict', `Cannot cancel migration for [${record.sourceIndex}] — ${why}`);
  if (isTerminalPhase(phase)) throw refuse(`migration is already in terminal phase: ${phase}`);
  if (record.committed) throw refuse('the alias swap has happened, the migration can only complete');
  // CANCELLING and FAILING lead to the end that was asked for.
  if (!mayMove(record, 'CANCELLING')) return { already: phase };
  if (phase === 'COMPLETING' && record.commitRequested) {
    throw refuse('the alias swap is under way; ask for the status');
  }
  const cancelling = moveMigration(record, 'CANCELLING', nowMillis);
  return { write: who === undefined ? cancelling : { ...cancelling, cancelledBy: who } };
}

/** Asks for the end of a source's migration; schedulers do the rest. @returns its record as it is now */
export async function cancelMigration(
  deps: ApiDependencies,
  source: string,
  who?: string,
): Promise<MigrationRecord> {
  const call = deps.newCall();
  const cancelled = await compareAndSet<MigrationRecord>(async () => {
    const stored = await deps.store.findMigrationBySource(source, call);
    if (stored === undefined) {
      throw new AoscError('not_found', `No active migration found for source index: [${source}]`);
    }
    const decision = decideCancel(stored.record, deps.now(), who);
    // A record that only its primary has may be lost again, and the migration would go on after this answer.
    if ('already' in decision) {
      return { write: () => deps.store.confirmMigration(stored, call).then(({ record }) => record) };
    }
    return {
      write: async () => {
        const { record } = await deps.store.replaceMigration(stored, decision.write, call);
        deps.traces.moved(stored.record, record);
        return record;
      },
    };
  });
  deps.logger.info('cancel requested', {
    event: 'cancel_requested',
    migration: cancelled.migrationId,
    phase: cancelled.phase,
  });
  // Also when the end was under way: the earlier request may have failed before it woke the schedulers.
  await wake(deps, cancelled);
  return cancelled;
}
