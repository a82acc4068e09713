/** What ended well while one bulk was under way, itself included. */
export interface Along {
  readonly bulks: number;
  readonly bytes: number;
}

/**
 * The bulks of all shards of a process. One shard that puts one more in flight is always faster for it, because it takes a
 * larger share of the cluster from the others: whether that pays shows in what all of them bring together.
 */
export class Company {
  private bulks = 0;
  private bytes = 0;

  /** A bulk is sent. @returns to be called when it has ended well, with its size in bytes */
  begin(): (bytes: number) => Along {
    const before = { bulks: this.bulks, bytes: this.bytes };
    return (bytes) => {
      this.bulks += 1;
      this.bytes += bytes;
      return { bulks: this.bulks - before.bulks, bytes: this.bytes - before.bytes };
    };
  }
}
