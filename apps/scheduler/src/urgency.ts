import type { MigrationRecord } from '@aosc/contract';
import { isAbortingPhase } from '@aosc/domain';
import { type BlockWatch, holdsBlock } from '@aosc/engine';

/** A write block of ours has been on for too long, or an abort has not lifted it yet. */
export function isUrgent(record: MigrationRecord, blocks: BlockWatch, writeBlockMaxMs: number): boolean {
  const isUndone = isAbortingPhase(record.phase) || record.undoing !== undefined;
  return (isUndone && holdsBlock(record)) || blocks.isOverdue(record, writeBlockMaxMs);
}
