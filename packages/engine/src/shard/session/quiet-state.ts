import type { ShardRecord } from '@aosc/contract';
import { isQuiet } from '@aosc/domain';

/**
 * What one job knows of bulks that a node may still carry out a second time (`await-quiet.ts`). The job begins with what
 * the record says. From its first bulk on only its own drains count.
 */
export class QuietState {
  private bulksSent = 0;
  private underWay = 0;
  /** the count of sent bulks at which all of them were known to have ended on every node */
  private quietAt: number | undefined;
  private settling:
    { readonly of: number; readonly isWhole: boolean; readonly done: Promise<void> } | undefined;

  /**
   * Notes that a bulk with documents is sent: a node may carry it out a second time, whatever the answer says.
   * @returns a function that the caller calls once, when it knows the bulk's outcome or no longer waits for an answer
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
   * Runs `makeSure`, which waits until each bulk that was answered before the run has ended on every node. Callers
   * share a run as long as no bulk is sent. The run proves nothing of bulks that are sent during it, nor of bulks that
   * were under way when it began: these may not have reached a node yet.
   */
  become(makeSure: () => Promise<void>): Promise<void> {
    const running = this.settling;
    return running?.isWhole === true && running.of === this.bulksSent
      ? running.done
      : this.becomeByOwnRun(makeSure);
  }

  /** {@link become} that always runs `makeSure`, because the run also makes sure of something else. */
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
