import { docsWithin, shrinkBatchTarget, succeedBatchTarget, targetWithin } from './batch-target';
import type { Sizing } from './sizing';

/** Controller type `adaptive_batch`: the byte target adapts, the settings fix the number in flight. */
export const adaptiveBatchSizing: Sizing = {
  limits: ({ batch }, settings) => ({
    maxDocs: docsWithin(batch, settings),
    targetBytes: targetWithin(batch, settings),
    maxBytes: settings.batch.maxBytes,
    concurrency: settings.concurrency.initial,
  }),
  shrink: (state, settings) => ({ ...state, batch: shrinkBatchTarget(state.batch, settings) }),
  succeed: (state, report, settings, ticket) => ({
    state: {
      ...state,
      batch: succeedBatchTarget(state.batch, report, settings, ticket, settings.concurrency.initial),
    },
    lowered: false,
  }),
};
