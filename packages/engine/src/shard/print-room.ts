/** Memory for the prints of swept shards, in bytes, which all jobs of a process share. */
export class PrintRoom {
  constructor(private left: number) {}

  /** @returns whether there was room; what was taken is to be given back */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.left += bytes;
  }
}
