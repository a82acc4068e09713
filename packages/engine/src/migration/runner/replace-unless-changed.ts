import type { MigrationRecord } from '@aosc/contract';
import { type Attempt, compareAndSet, unlessConflict } from '../../ports/compare-and-set';
import type { Stored } from '../../ports/store-port';
import type { CoordinatorContext } from '../step/context';

/** Others that confirm the record, one after the other. */
const maxTries = 5;

/**
 * Another scheduler that drives the same migration, as all do while Redis is away, may have confirmed the record meanwhile. Then it
 * is at another place and says the same, so what was decided by it holds. To take the step again each time, two of them would
 * keep each other from getting on.
 * @returns undefined: somebody has changed it
 */
export async function replaceUnlessChanged(
  { store, signal, assertMandate }: Pick<CoordinatorContext, 'store' | 'signal' | 'assertMandate'>,
  before: Stored<MigrationRecord>,
  after: MigrationRecord,
): Promise<Stored<MigrationRecord> | undefined> {
  const attempt = async (attempts: number): Promise<Attempt<Stored<MigrationRecord> | undefined>> => {
    const found = attempts === 1 ? before : await store.readMigration(after.key, { signal });
    if (found === undefined || !saysTheSame(found.record, before.record)) return { result: undefined };
    // A process may have stood still since the first try.
    if (attempts > 1) assertMandate();
    return { write: () => store.replaceMigration(found, after, { signal }) };
  };
  return unlessConflict(() => compareAndSet(attempt, maxTries));
}

/** Both are JSON in the store. A field in another place makes them differ, and then the step is taken again. */
function saysTheSame(a: MigrationRecord, b: MigrationRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
