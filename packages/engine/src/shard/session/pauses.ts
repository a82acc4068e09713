import type { ShardFlow } from '@aosc/contract';
import type { Clock } from '../../ports/clock';

type PausedWork = 'bulk' | 'read';

/** The pauses of a job since it began. A reason is the text of OpenSearch or of the client. */
type PauseFigures = Pick<ShardFlow, 'pauses' | 'pausedUntilMillis' | 'lastOverload'>;

/** The pauses of one job, separate for reads and bulks: a refusal of one kind says little about the other kind. */
export class Pauses {
  private readonly until: Record<PausedWork, number> = { bulk: -Infinity, read: -Infinity };
  private readonly count: Record<PausedWork, number> = { bulk: 0, read: 0 };
  private last: ShardFlow['lastOverload'];

  constructor(private readonly clock: Clock) {}

  /**
   * No work of this kind begins for `pauseMs`; work under way goes on. An earlier pause that ends later stays in force.
   */
  begin(work: PausedWork, pauseMs: number, reason: string): void {
    const now = this.clock.monotonic();
    this.until[work] = Math.max(this.until[work], now + pauseMs);
    this.count[work]++;
    this.last = { atMillis: this.clock.now(), work, pauseMs: Math.round(pauseMs), reason };
  }

  /** How much longer nothing of this kind may begin, in ms. */
  left(work: PausedWork): number {
    return Math.max(0, this.until[work] - this.clock.monotonic());
  }

  /** Waits until work of this kind may begin. @throws the signal's reason when it fires */
  async pass(work: PausedWork, signal: AbortSignal): Promise<void> {
    for (let left = this.left(work); left > 0; left = this.left(work)) await this.clock.sleep(left, signal);
  }

  /** Calls of this kind that were refused so far. */
  refused(work: PausedWork): number {
    return this.count[work];
  }

  figures(): PauseFigures {
    const left = Math.max(this.left('bulk'), this.left('read'));
    return {
      pauses: this.count.bulk + this.count.read,
      ...(left > 0 && { pausedUntilMillis: Math.round(this.clock.now() + left) }),
      ...(this.last !== undefined && { lastOverload: this.last }),
    };
  }
}
