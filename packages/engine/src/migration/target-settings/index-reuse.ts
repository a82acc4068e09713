import type { MigrationRecord } from '@aosc/contract';
import type { StepContext } from '../step/context';

/** Whether another migration works with an index of one that has ended. */
export async function isUsedAnew(
  { store, signal }: StepContext,
  { key }: MigrationRecord,
  index: string,
): Promise<boolean> {
  const newer = await store.findMigrationUsing(index, { signal });
  return newer !== undefined && newer.key !== key;
}
