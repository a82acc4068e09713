/**
 * Lets as many batches be under way at once as the limit says at this moment. The gate asks for the limit before each
 * batch, so a changed limit holds from the next batch on.
 */
export class BulkGate {
  private inside = 0;
  private waiting: (() => void)[] = [];
  private readonly listeners = new Set<() => void>();

  /** @param limit at least 1 */
  constructor(private readonly limit: () => number) {}

  /**
   * Runs the work when there is room for it. An abort does not end the wait for room, but after that wait aborted work
   * does not run: this throws the signal's reason.
   */
  async pass<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (this.inside >= this.limit()) await new Promise<void>((resolve) => this.waiting.push(resolve));
    signal.throwIfAborted();
    this.inside++;
    try {
      return await work();
    } finally {
      this.inside--;
      const released = this.waiting;
      this.waiting = [];
      for (const release of released) release();
      for (const listener of this.listeners) listener();
    }
  }

  /** @returns a function that ends the listening */
  onLeave(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
