/** The lock of a job has, or may have, run out: another worker may already run the job. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/** One run of a job, from taking it to handing it back. */
export interface HeldLock {
  /** aborted with a LockLostError */
  readonly kill: AbortSignal;
  /** @throws LockLostError when the lock may have run out by this process's own clocks */
  assertInTime(): void;
  /** Ends the renewal. The caller calls it before it hands the job back. */
  release(): void;
}

interface Held {
  renewedMonotonic: number;
  renewedWall: number;
  renewing: boolean;
  readonly renew: () => Promise<boolean>;
  readonly kill: AbortController;
}

const marginRatio = 0.2;
const renewalsPerLock = 4;
const late = 'the lock of the job was not renewed in time';

/**
 * Renews the locks of this process's runs, in place of BullMQ. BullMQ knows locks by the job's id, so the end of one
 * run makes it forget the lock of the next; it does not stop a processor whose lock was lost; and it renews for ever
 * what a closed worker left unfinished. Here each run keeps its own lock and deadline (last renewal + lock duration − a
 * fifth), on two clocks: a clock that never jumps, and one which goes on while the machine sleeps.
 */
export class LockWatch {
  private readonly held = new Set<Held>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly lockDurationMs: number,
    private readonly onError: (error: Error) => void,
  ) {
    this.timer = setInterval(() => this.look(), Math.max(50, lockDurationMs / 20));
    this.timer.unref();
  }

  /** @param renew sets the lock's remaining time to its full length; false when the lock is no longer ours */
  hold(renew: () => Promise<boolean>): HeldLock {
    const held: Held = {
      renewedMonotonic: performance.now(),
      renewedWall: Date.now(),
      renewing: false,
      renew,
      kill: new AbortController(),
    };
    this.held.add(held);
    return {
      kill: held.kill.signal,
      assertInTime: () => {
        if (this.isOverdue(held)) held.kill.abort(new LockLostError(late));
        held.kill.signal.throwIfAborted();
      },
      release: () => this.held.delete(held),
    };
  }

  killAll(reason: string): void {
    for (const held of this.held) held.kill.abort(new LockLostError(reason));
  }

  /** Stops all renewals: another process finds stalled what still runs. */
  stop(): void {
    clearInterval(this.timer);
    this.held.clear();
  }

  private look(): void {
    for (const held of this.held) {
      if (held.kill.signal.aborted) continue;
      if (this.isOverdue(held)) held.kill.abort(new LockLostError(late));
      else if (performance.now() - held.renewedMonotonic > this.lockDurationMs / renewalsPerLock) {
        void this.renew(held);
      }
    }
  }

  private async renew(held: Held): Promise<void> {
    if (held.renewing) return;
    held.renewing = true;
    // The lock's time starts when Redis sees the command, which is not before this moment.
    const monotonic = performance.now();
    const wall = Date.now();
    try {
      const isOurs = await held.renew();
      if (isOurs) {
        held.renewedMonotonic = monotonic;
        held.renewedWall = wall;
      } else if (this.held.has(held)) {
        held.kill.abort(new LockLostError('the lock of the job was taken away'));
      }
    } catch (error) {
      // Not lost yet: the watch retries until the deadline.
      this.onError(new Error('the lock of a job could not be renewed', { cause: error }));
    } finally {
      held.renewing = false;
    }
  }

  private isOverdue(held: Held): boolean {
    const limit = this.lockDurationMs * (1 - marginRatio);
    return performance.now() - held.renewedMonotonic > limit || Date.now() - held.renewedWall > limit;
  }
}
