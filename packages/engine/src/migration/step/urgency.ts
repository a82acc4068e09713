import type { MigrationRecord } from '@aosc/contract';
import { isAbortingPhase } from '@aosc/domain';
import { type BlockWatch, stopsWrites } from './block-watch';

/** A write hold or block of ours has been on for too long, or an abort or undo has not ended it yet. */
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
