import type { MigrationRecord } from '@aosc/contract';
import { writeFound } from '../../ports/acknowledged-write';
import type { Stored } from '../../ports/store-port';
import type { CoordinatorContext } from '../step/context';

/**
 * While Redis is away all schedulers drive the same migration, and another scheduler may have confirmed the record
 * since it was read. The record then has a new number and the same content, so the decision holds. If each scheduler
 * took the step again, two of them would keep each other from getting on.
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
    // A process may have stood still since the first try.
    if (tries > 1) assertMandate();
    return after;
  });
}

/** The store keeps JSON: a field in another place makes two records differ, and then the step is taken again. */
function saysTheSame(a: MigrationRecord, b: MigrationRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
