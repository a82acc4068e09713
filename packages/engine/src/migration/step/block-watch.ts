import type { MigrationRecord } from '@aosc/contract';
import { holdsWriters, isHeld, type WithBlock } from '@aosc/domain';
import { UnchangedWatch } from '@aosc/signals';
import type { Clock } from '../../ports/clock';

/**
 * Whether a write block of the service keeps applications from writing. A block of the user's own does not count. After
 * the swap no block counts, because applications write to the target.
 */
export function holdsBlock<R extends MigrationRecord>(record: R): record is R & WithBlock {
  const { writeBlock, committed } = record;
  return writeBlock !== undefined && !writeBlock.usersOwn && !writeBlock.lifted && !committed;
}

/**
 * Whether the service keeps applications from writing: its block refuses their writes, or its write hold delays them.
 * After the swap applications write to the target.
 */
export function stopsWrites(record: MigrationRecord): boolean {
  return holdsBlock(record) || (holdsWriters(record) && !record.committed);
}

/**
 * Measures how long the write blocks and write holds of migrations have been on. The record has the time of the
 * request, but a clock that is set back makes a block look younger. So each process also measures the time since it
 * first saw the block, by a monotonic clock, and takes the larger age.
 */
export class BlockWatch {
  private readonly blocks: UnchangedWatch;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.blocks = new UnchangedWatch(() => clock.monotonic());
  }

  /** Whether a write block of the service has been on for longer than `maxMs`. */
  isOverdue(record: MigrationRecord, maxMs: number): boolean {
    return holdsBlock(record) && this.ageMs(record, record.writeBlock) > maxMs;
  }

  /** Whether a write hold has made writers wait for longer than `maxMs`, and no write block has followed yet. */
  isHeldFor(record: MigrationRecord, maxMs: number): boolean {
    return isHeld(record) && this.ageMs(record, record.writeHold) > maxMs;
  }

  private ageMs(
    { key }: MigrationRecord,
    { requestedAtMillis }: { readonly requestedAtMillis: number },
  ): number {
    const { unchangedMs: seenMs } = this.blocks.look(`${key} ${requestedAtMillis}`);
    return Math.max(this.clock.now() - requestedAtMillis, seenMs);
  }
}
