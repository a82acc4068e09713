import type { Digest } from '@aosc/domain';

/** Memory for prints, which all jobs of a process share, and the process's own hash function for them. */
export class PrintMemory {
  /** @param left bytes */
  constructor(
    private left: number,
    readonly digest: Digest,
  ) {}

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
