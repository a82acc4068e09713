import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { holdsWriters, isHeld } from '@aosc/domain';
import { UnchangedWatch } from '@aosc/signals';
import type { Clock } from '../../ports/clock';

export interface Blocked {
  readonly writeBlock: WriteBlock;
}

/** Whether the service keeps writes from the source: not by a block of the user's own, and not after the swap. */
export function holdsBlock<R extends MigrationRecord>(record: R): record is R & Blocked {
  const { writeBlock, committed } = record;
  return writeBlock !== undefined && !writeBlock.usersOwn && !writeBlock.lifted && !committed;
}

/** Whether the service keeps writes from the source, or makes them wait: not after the swap. */
export function stopsWrites(record: MigrationRecord): boolean {
  return holdsBlock(record) || (holdsWriters(record) && !record.committed);
}

/**
 * How long the write blocks of migrations have been on. Every process can tell by the date in the record, but a clock
 * that is set back makes a block look younger. So each process also measures from its own first sight of the block, by
 * a clock that never jumps, and takes the larger age.
 */
export class BlockWatch {
  private readonly blocks: UnchangedWatch;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.blocks = new UnchangedWatch(() => clock.monotonic());
  }

  /** Whether a block of ours is on for longer than this. */
  isOverdue(record: MigrationRecord, maxMs: number): boolean {
    return holdsBlock(record) && this.ageMs(record, record.writeBlock) > maxMs;
  }

  /** Whether writers have waited for longer than this, and the source does not refuse them yet. */
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
