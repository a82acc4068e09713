/** Jobs whose lock this process holds, by its own reckoning. */
interface Held {
  renewedMonotonic: number;
  renewedWall: number;
  readonly kill: AbortController;
}

/** The lock of a job has, or may have, run out: another worker may be at it already. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

const marginRatio = 0.2;

/**
 * BullMQ does not stop a processor whose lock was lost, and in a Redis outage no event tells. So each job keeps
 * its own deadline (last renewal + lock duration − a fifth), on two clocks: one that never jumps, and one that
 * goes on while the machine sleeps.
 */
export class LockWatch {
  private readonly held = new Map<string, Held>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly lockDurationMs: number) {
    this.timer = setInterval(() => this.killOverdue(), Math.max(100, lockDurationMs / 20));
    this.timer.unref();
  }

  /** @returns the signals of this run of the job, and what to call when it is over */
  begin(jobId: string): { kill: AbortSignal; assertInTime: () => void; end: () => void } {
    const held: Held = {
      renewedMonotonic: performance.now(),
      renewedWall: Date.now(),
      kill: new AbortController(),
    };
    this.held.set(jobId, held);
    return {
      kill: held.kill.signal,
      assertInTime: () => {
        if (this.isOverdue(held))
          held.kill.abort(new LockLostError('the lock of the job was not renewed in time'));
        held.kill.signal.throwIfAborted();
      },
      // A job that was put back may run again, in another slot, before this run is over.
      end: () => {
        if (this.held.get(jobId) === held) this.held.delete(jobId);
      },
    };
  }

  renewed(jobIds: readonly string[]): void {
    for (const id of jobIds) {
      const held = this.held.get(id);
      if (held === undefined) continue;
      held.renewedMonotonic = performance.now();
      held.renewedWall = Date.now();
    }
  }

  lost(jobIds: readonly string[], reason: string): void {
    for (const id of jobIds) this.held.get(id)?.kill.abort(new LockLostError(reason));
  }

  killAll(reason: string): void {
    this.lost([...this.held.keys()], reason);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private isOverdue(held: Held): boolean {
    const limit = this.lockDurationMs * (1 - marginRatio);
    return performance.now() - held.renewedMonotonic > limit || Date.now() - held.renewedWall > limit;
  }

  private killOverdue(): void {
    for (const held of this.held.values()) {
      if (this.isOverdue(held))
        held.kill.abort(new LockLostError('the lock of the job was not renewed in time'));
    }
  }
}
