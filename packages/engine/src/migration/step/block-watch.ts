import type { MigrationRecord, WriteBlock } from '@aosc/contract';
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

interface Seen {
  /** by the clock that never jumps */
  readonly firstAt: number;
  lastAt: number;
}

/** A block that another process has lifted is not looked at here any more. */
const forgetAfterMs = 3_600_000;

/**
 * How long the write blocks of migrations have been on. Every process can tell by the date in the record, but a clock
 * that is set back makes a block look younger by as much as it was set back. So each process also measures from its own
 * first sight of the block, by a clock that never jumps, and the larger age counts.
 */
export class BlockWatch {
  private readonly blocks = new Map<string, Seen>();

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  /** Whether a block of ours is on for longer than this. */
  isOverdue(record: MigrationRecord, maxMs: number): boolean {
    if (!holdsBlock(record)) return false;
    const { requestedAtMillis } = record.writeBlock;
    const seenMs = this.seenFor(`${record.key} ${requestedAtMillis}`);
    return Math.max(this.clock.now() - requestedAtMillis, seenMs) > maxMs;
  }

  private seenFor(block: string): number {
    const now = this.clock.monotonic();
    const seen = this.blocks.get(block);
    if (seen !== undefined) {
      seen.lastAt = now;
      return now - seen.firstAt;
    }
    for (const [other, { lastAt }] of this.blocks) {
      if (now - lastAt > forgetAfterMs) this.blocks.delete(other);
    }
    this.blocks.set(block, { firstAt: now, lastAt: now });
    return 0;
  }
}
