export interface PageSizerOptions {
  /** what one response should not exceed */
  readonly budgetBytes?: number;
  /** documents of the first page, while nothing is known of their size */
  readonly firstPage?: number;
}

const MB = 2 ** 20;
const defaults: Required<PageSizerOptions> = { budgetBytes: 8 * MB, firstPage: 16 };
/** After so many pages the sizer approaches a size again that the cluster refused. */
const holdAfterRefusal = 8;

/** How many documents to ask for in one page. */
export interface PageSizer {
  /** @param limit the setting `aosc.backfill.read.page_size`, read now */
  size(limit: number): number;
  /** Learns from a page. The size grows at most fourfold: the next documents may be larger than any seen. */
  learn(page: { readonly documents: number; readonly bytes: number }): void;
  /**
   * Takes note that the cluster refused a page of `size` documents (413, circuit breaker), or that its answer was too
   * large: half of it is next. Pages refused together count once. When the refused page's `bytes` are known, the next
   * size fits the budget at once: the cluster had to gather the whole page, and would gather it again for each halving.
   * @param bytes what the answer would have had, where that is known
   * @returns false when it was a single document: there is no smaller page
   */
  refuse(size: number, bytes?: number): boolean;
}

export function createPageSizer({
  budgetBytes = defaults.budgetBytes,
  firstPage = defaults.firstPage,
}: PageSizerOptions = {}): PageSizer {
  /** documents of the next page, before the setting's limit */
  let size = firstPage;
  /** moving average that follows growth at once; undefined: no document seen */
  let bytesPerDoc: number | undefined;
  /** pages without trouble to go before the size grows again */
  let hold = 0;
  return {
    size: (limit) => Math.min(size, limit),
    learn({ documents, bytes }) {
      if (documents <= 0) return;
      const seen = bytes / documents;
      const known = bytesPerDoc ?? seen;
      bytesPerDoc = seen > known ? seen : 0.8 * known + 0.2 * seen;
      const fitting = Math.max(1, Math.floor(budgetBytes / Math.max(bytesPerDoc, 1)));
      if (fitting <= size) size = fitting;
      else if (hold > 0) hold -= 1;
      // A short page, at the end of a window, does not show that the size asked for is a good one.
      else if (documents >= size) size = Math.min(fitting, size * 4);
    },
    refuse(asked, bytes) {
      const fitting = bytes === undefined ? asked : (asked * budgetBytes) / Math.max(bytes, 1);
      size = Math.min(size, Math.max(1, Math.floor(Math.min(asked / 2, fitting))));
      hold = holdAfterRefusal;
      return asked > 1;
    },
  };
}
