import type { MigrationRecord } from '@aosc/contract';
import { type BlockWatch, holdsBlock } from '@aosc/engine';

/** A write block of ours is on for too long, or an abort has not lifted it yet. */
export function isUrgent(record: MigrationRecord, blocks: BlockWatch, writeBlockMaxMs: number): boolean {
  const isAborted = record.phase === 'CANCELLING' || record.phase === 'FAILING';
  return (isAborted && holdsBlock(record)) || blocks.isOverdue(record, writeBlockMaxMs);
}
