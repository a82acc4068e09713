import type { Digest } from '@aosc/domain';

/** Memory for prints, which all jobs of a process share, and the process's own hash function for them. */
export class PrintMemory {
  private left: number;

  /** @param size bytes */
  constructor(
    readonly size: number,
    readonly digest: Digest,
  ) {
    this.left = size;
  }

  /** @returns whether there was room; the caller gives back what it took */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.left += bytes;
  }
}
