/** What one response should not exceed. */
const budgetBytes = 8 * 2 ** 20;
/** After so many pages the sizer approaches a size again that the cluster refused. */
const holdAfterRefusal = 8;

/**
 * How many documents to ask for in one page.
 * @param firstPage documents of the first page, while nothing is known of their size
 */
export function createPageSizer({ firstPage = 16 }: { readonly firstPage?: number } = {}) {
  /** documents of the next page, before the setting's limit */
  let size = firstPage;
  /** moving average that follows growth at once; undefined: no document seen */
  let bytesPerDoc: number | undefined;
  /** pages without trouble to go before the size grows again */
  let hold = 0;
  return {
    /** @param limit the setting `aosc.backfill.read.page_size`, read now */
    size: (limit: number): number => Math.min(size, limit),
    /** Learns from a page. The size grows at most fourfold: the next documents may be larger than any seen. */
    learn({ documents, bytes }: { readonly documents: number; readonly bytes: number }): void {
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
    /**
     * Takes note that the cluster refused a page of so many documents (413, circuit breaker), or that its answer was
     * too large: half of it is next. Pages refused together count once. When the refused page's `bytes` are known, the
     * next size fits the budget at once: the cluster had to gather the whole page, and would gather it again for each
     * halving.
     * @param bytes what the answer would have had, where that is known
     * @returns false when it was a single document: there is no smaller page
     */
    refuse(asked: number, bytes?: number): boolean {
      const fitting = bytes === undefined ? asked : (asked * budgetBytes) / Math.max(bytes, 1);
      size = Math.min(size, Math.max(1, Math.floor(Math.min(asked / 2, fitting))));
      hold = holdAfterRefusal;
      return asked > 1;
    },
  };
}
export type PageSizer = ReturnType<typeof createPageSizer>;
