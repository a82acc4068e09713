import type { ShardRecord } from '@aosc/contract';
import { isQuiet } from '@aosc/domain';

/**
 * What one job knows of documents that may come once more (`quiet.ts`). A job begins with what the record says, and
 * from its first bulk on with what it has made sure of itself.
 */
export class QuietState {
  private bulksSent = 0;
  private underWay = 0;
  /** how many bulks were sent when all of them were known to have ended on every node */
  private quietAt: number | undefined;
  private settling:
    { readonly of: number; readonly isWhole: boolean; readonly done: Promise<void> } | undefined;

  /**
   * Notes that documents are sent: a node may carry them out once more, however they are answered.
   * @returns the caller calls it once, when it knows their outcome or waits for it no longer
   */
  noteDocumentsSent(): () => void {
    this.bulksSent++;
    this.underWay++;
    return () => {
      this.underWay--;
    };
  }

  /**
   * Whether no node can still carry out a bulk of the shard.
   * @param writer as the job has found it, or has written it
   */
  holds(writer: ShardRecord['writer']): boolean {
    return this.quietAt === undefined
      ? this.bulksSent === 0 && isQuiet(writer)
      : this.quietAt === this.bulksSent;
  }

  /**
   * Runs what makes sure that everything that was answered before has ended on every node. Callers share a run as long
   * as nothing is sent. The run says nothing of what is sent meanwhile, nor of what was under way when it began: no
   * node need have had that yet.
   */
  become(makeSure: () => Promise<void>): Promise<void> {
    const running = this.settling;
    return running?.isWhole === true && running.of === this.bulksSent
      ? running.done
      : this.becomeByOwnRun(makeSure);
  }

  /** The same by a run of the caller's own, which has something else to make sure of. */
  becomeByOwnRun(makeSure: () => Promise<void>): Promise<void> {
    const of = this.bulksSent;
    const isWhole = this.underWay === 0;
    const done = makeSure()
      .then(() => {
        if (isWhole) this.quietAt = Math.max(of, this.quietAt ?? of);
      })
      .finally(() => {
        if (this.settling?.done === done) this.settling = undefined;
      });
    this.settling = { of, isWhole, done };
    return done;
  }
}
