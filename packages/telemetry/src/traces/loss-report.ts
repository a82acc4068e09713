import { cutText } from '../cut-text';
import type { Logger } from '../logger';

const tellEveryMs = 60_000;
const longestReason = 200;

/** Counts lost spans and logs their number: the first at once, the others together, once a minute. */
export interface LossReport {
  note(spans: number, reason: string): void;
  /** Logs what was counted and not logged yet. */
  close(): void;
}

/** @param everyMs least time between two lines of the log */
export function createLossReport(logger: Pick<Logger, 'warn'>, everyMs = tellEveryMs): LossReport {
  let lost = 0;
  let lastReason = '';
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lost === 0) return;
    const spans = lost;
    lost = 0;
    logger.warn('spans of traces were lost: the collector did not take them, and migrations go on', {
      event: 'traces_lost',
      spans,
      reason: lastReason,
    });
    timer = setTimeout(tell, everyMs).unref();
  };
  return {
    note(spans, reason) {
      lost += spans;
      lastReason = cutText(reason, longestReason);
      if (timer === undefined) tell();
    },
    close() {
      tell();
      clearTimeout(timer);
    },
  };
}
