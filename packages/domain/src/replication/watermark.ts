import type { SeqNoWindow } from './seq-no-window';

/** How far a copy has come without a hole. */
export interface Watermark {
  /** every window below this `_seq_no` is complete */
  readonly watermark: number;
  /** documents in the windows below it */
  readonly documents: number;
}

type NextWindow =
  | { readonly kind: 'window'; readonly window: SeqNoWindow }
  /** the allowed number of windows is above the watermark: wait until the oldest is complete */
  | { readonly kind: 'full' }
  /** the plan has no more windows */
  | { readonly kind: 'exhausted' };

interface Entry {
  readonly window: SeqNoWindow;
  documents: number | undefined;
}

/**
 * Hands out windows in order, takes them back in any order, and reports how far the copy is complete without a hole.
 * The windows above the watermark, including finished ones, are bounded: a slow one holds the others back, so that no
 * list grows without end.
 * @param start where the plan starts: a stored watermark, or the first `_seq_no` with no documents
 * @param maxWindows how many windows may be above the watermark at once
 */
export function createWindowTracker(
  plan: Iterator<SeqNoWindow, unknown, undefined>,
  start: Watermark,
  maxWindows: number,
) {
  let current = start;
  let plannedTo = start.watermark;
  let exhausted = false;
  /** windows above the watermark by their first number, in the order they were handed out */
  const above = new Map<number, Entry>();

  function advance(): void {
    for (const [from, { window, documents }] of above) {
      if (documents === undefined) return;
      current = { watermark: window.to, documents: current.documents + documents };
      above.delete(from);
    }
  }

  return {
    next(): NextWindow {
      if (exhausted) return { kind: 'exhausted' };
      if (above.size >= maxWindows) return { kind: 'full' };
      const step = plan.next();
      if (step.done === true) {
        exhausted = true;
        return { kind: 'exhausted' };
      }
      const window = step.value;
      if (window.from !== plannedTo || window.to <= window.from) {
        throw new RangeError(`window [${window.from}, ${window.to}) does not follow ${plannedTo}`);
      }
      plannedTo = window.to;
      above.set(window.from, { window, documents: undefined });
      return { kind: 'window', window };
    },
    /** @throws for a window that is not handed out, or is complete already */
    complete(window: SeqNoWindow, documents: number): Watermark {
      const entry = above.get(window.from);
      if (entry?.window.to !== window.to || entry.documents !== undefined) {
        throw new RangeError(`window [${window.from}, ${window.to}) is not out`);
      }
      if (!Number.isSafeInteger(documents) || documents < 0) {
        throw new RangeError(`a window can't hold ${documents} documents`);
      }
      entry.documents = documents;
      advance();
      return current;
    },
    get current(): Watermark {
      return current;
    },
  };
}
