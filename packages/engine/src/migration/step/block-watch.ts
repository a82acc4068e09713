import type { MigrationRecord, WriteBlock } from '@aosc/contract';
import { UnchangedWatch } from '@aosc/signals';
import type { Clock } from '../../ports/clock';

/** A migration that has asked for the write block. */
export interface Blocked {
  readonly writeBlock: WriteBlock;
}

/** Whether the service keeps writes from the source: not by a block of the user's own, and not after the swap. */
export function holdsBlock<R extends MigrationRecord>(record: R): record is R & Blocked {
  const { writeBlock, committed } = record;
  return writeBlock !== undefined && !writeBlock.usersOwn && !writeBlock.lifted && !committed;
}

/**
 * How long the write blocks of migrations have been on. Every process can tell by the date in the record, but a clock
 * that is set back makes a block look younger by as much as it was set back. So each process also measures from its own
 * first sight of the block, by a clock that never jumps, and the larger age counts.
 */
export class BlockWatch {
  private readonly blocks: UnchangedWatch;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.blocks = new UnchangedWatch(() => clock.monotonic());
  }

  /** Whether a block of ours is on for longer than this. */
  isOverdue(record: MigrationRecord, maxMs: number): boolean {
    if (!holdsBlock(record)) return false;
    const { requestedAtMillis } = record.writeBlock;
    const { unchangedMs: seenMs } = this.blocks.look(`${record.key} ${requestedAtMillis}`);
    return Math.max(this.clock.now() - requestedAtMillis, seenMs) > maxMs;
  }
}
