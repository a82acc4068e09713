/** What ended well while one bulk was under way, including that bulk. */
export interface Along {
  readonly bulks: number;
  readonly bytes: number;
}

/**
 * The bulks of all shards of a process. A shard that puts one more in flight always gets faster, because it takes a
 * larger share of the cluster from the others. Only the throughput of all of them together shows whether that pays.
 */
export class ProcessBulks {
  private bulks = 0;
  private bytes = 0;

  /**
   * Marks that a bulk is sent.
   * @returns the function to call when it has ended well, with its size in bytes
   */
  begin(): (bytes: number) => Along {
    const before = { bulks: this.bulks, bytes: this.bytes };
    return (bytes) => {
      this.bulks += 1;
      this.bytes += bytes;
      return { bulks: this.bulks - before.bulks, bytes: this.bytes - before.bytes };
    };
  }
}
