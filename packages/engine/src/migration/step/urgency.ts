import type { MigrationRecord } from '@aosc/contract';
import { isAbortingPhase } from '@aosc/domain';
import { type BlockWatch, stopsWrites } from './block-watch';

/** Whether a write hold or block of the service has lasted too long, or is still on while an abort or undo runs. */
export function isUrgent(
  record: MigrationRecord,
  blocks: BlockWatch,
  { writeBlockMaxMs, maxHoldMs }: { readonly writeBlockMaxMs: number; readonly maxHoldMs: number },
): boolean {
  const isUndone = isAbortingPhase(record.phase) || record.undoing !== undefined;
  return (
    (isUndone && stopsWrites(record)) ||
    blocks.isOverdue(record, writeBlockMaxMs) ||
    blocks.isHeldFor(record, maxHoldMs)
  );
}
