import type { ShardRecord } from '@aosc/contract';
import { isQuiet } from '@aosc/domain';

/**
 * What one job knows of documents that may come once more (`quiet.ts`). A job begins with what the record says, and from
 * its first bulk on with what it has made sure of itself.
 */
export class QuietState {
  private bulksSent = 0;
  /** as many bulks were sent when all of them were known to have ended everywhere */
  private quietAt: number | undefined;
  private settling: { readonly of: number; readonly done: Promise<void> } | undefined;

  /** Documents are sent: a node may carry them out once more, however they are answered. */
  noteDocumentsSent(): void {
    this.bulksSent++;
  }

  /**
   * Whether nothing that the shard has sent can still be carried out by any node.
   * @param writer as the job has found it, or has written it
   */
  holds(writer: ShardRecord['writer']): boolean {
    return this.quietAt === undefined
      ? this.bulksSent === 0 && isQuiet(writer)
      : this.quietAt === this.bulksSent;
  }

  /**
   * Runs what makes sure that everything that was sent before has ended on every node. Callers share a run as long as
   * nothing is sent; what is sent meanwhile is not known to have ended.
   */
  become(makeSure: () => Promise<void>): Promise<void> {
    const of = this.bulksSent;
    const running = this.settling;
    if (running?.of === of) return running.done;
    const done = makeSure()
      .then(() => {
        this.quietAt = Math.max(of, this.quietAt ?? of);
      })
      .finally(() => {
        if (this.settling?.done === done) this.settling = undefined;
      });
    this.settling = { of, done };
    return done;
  }
}
