export interface PageSizerOptions {
  /** what one response should not exceed */
  readonly budgetBytes?: number;
  /** documents of the first page, while nothing is known of their size */
  readonly firstPage?: number;
}

interface PageSizerState {
  /** documents of the next page, before the setting's limit */
  readonly size: number;
  /** moving average that follows growth at once; undefined: no document seen */
  readonly bytesPerDoc: number | undefined;
  /** pages without trouble to go before the size grows again */
  readonly hold: number;
}

const MB = 2 ** 20;
const defaults: Required<PageSizerOptions> = { budgetBytes: 8 * MB, firstPage: 16 };
/** After so many pages the sizer approaches a size again that the cluster refused. */
const holdAfterRefusal = 8;

function startPages({ firstPage = defaults.firstPage }: PageSizerOptions = {}): PageSizerState {
  return { size: firstPage, bytesPerDoc: undefined, hold: 0 };
}

/** The state after a page was read. The size grows at most fourfold: the next documents may be larger than any seen. */
function learnPage(
  state: PageSizerState,
  page: { readonly documents: number; readonly bytes: number },
  { budgetBytes = defaults.budgetBytes }: PageSizerOptions = {},
): PageSizerState {
  if (page.documents <= 0) return state;
  const seen = page.bytes / page.documents;
  const known = state.bytesPerDoc ?? seen;
  const bytesPerDoc = seen > known ? seen : 0.8 * known + 0.2 * seen;
  const fitting = Math.max(1, Math.floor(budgetBytes / Math.max(bytesPerDoc, 1)));
  if (fitting <= state.size) return { ...state, bytesPerDoc, size: fitting };
  if (state.hold > 0) return { ...state, bytesPerDoc, hold: state.hold - 1 };
  // A short page, at the end of a window, does not show that the size asked for is a good one.
  const grown = page.documents >= state.size ? state.size * 4 : state.size;
  return { ...state, bytesPerDoc, size: Math.min(fitting, grown) };
}

/**
 * The state after the cluster refused a page of `size` documents (413, circuit breaker): half of it. Pages refused
 * together count once. When the refused page's `bytes` are known, the next size fits the budget at once: the cluster
 * had to gather the whole page, and would gather it again for each halving.
 */
function refusePage(
  state: PageSizerState,
  size: number,
  bytes?: number,
  { budgetBytes = defaults.budgetBytes }: PageSizerOptions = {},
): PageSizerState {
  const fitting = bytes === undefined ? size : (size * budgetBytes) / Math.max(bytes, 1);
  const smaller = Math.max(1, Math.floor(Math.min(size / 2, fitting)));
  return { ...state, size: Math.min(state.size, smaller), hold: holdAfterRefusal };
}

/** How many documents to ask for in one page. */
export interface PageSizer {
  /** @param limit the setting `aosc.backfill.read.page_size`, read now */
  size(limit: number): number;
  learn(page: { readonly documents: number; readonly bytes: number }): void;
  /**
   * Takes note that the cluster refused a page of `size` documents, or that its answer was too large.
   * @param bytes what the answer would have had, where that is known
   * @returns false when it was a single document: there is no smaller page
   */
  refuse(size: number, bytes?: number): boolean;
}

export function createPageSizer(options: PageSizerOptions = {}): PageSizer {
  let state = startPages(options);
  return {
    size: (limit) => Math.min(state.size, limit),
    learn(page) {
      state = learnPage(state, page, options);
    },
    refuse(size, bytes) {
      state = refusePage(state, size, bytes, options);
      return size > 1;
    },
  };
}
