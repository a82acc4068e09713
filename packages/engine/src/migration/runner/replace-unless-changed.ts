import type { MigrationRecord } from '@aosc/contract';
import { writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import type { CoordinatorContext } from '../step/context';

/**
 * Stores the step's record, even if another scheduler has confirmed the old record since this process read it. A
 * confirmation (`confirmMigration`) writes the same content under a new `_seq_no`, so the step's decision holds. While
 * Redis is away, all schedulers drive the same migration. If each repeated its step after a confirmation, two
 * schedulers could hold each other up for ever.
 * @returns undefined: another process has changed the record
 */
export async function replaceUnlessChanged(
  { store, signal, assertMandate }: Pick<CoordinatorContext, 'store' | 'signal' | 'assertMandate'>,
  before: Stored<MigrationRecord>,
  after: MigrationRecord,
): Promise<Stored<MigrationRecord> | undefined> {
  const access = {
    read: () => store.readMigration(after.key, { signal }),
    replace: (found: Stored<MigrationRecord>) => store.replaceMigration(found, after, { signal }),
  };
  return writeFound(access, before, ({ record }, tries) => {
    if (!saysTheSame(record, before.record)) return undefined;
    // If this process was paused since the first try, another process may drive the migration by now.
    if (tries > 1) assertMandate();
    return after;
  });
}

/** Compares the records as JSON. Fields in another order count as a change: repeating the step does no harm. */
function saysTheSame(a: MigrationRecord, b: MigrationRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
