import {
  type BatchTarget,
  docsWithin,
  learnDocumentSize,
  shrinkBatchTarget,
  startBatchTarget,
  succeedBatchTarget,
} from './batch-target';
import type { Sizing } from './sizing';

/** Controller type `adaptive_batch`: the byte target adapts, the number in flight is what the settings say. */
export const adaptiveBatchSizing: Sizing<BatchTarget> = {
  start: startBatchTarget,
  limits: (state, settings) => ({
    maxDocs: docsWithin(state, settings),
    maxBytes: settings.batch.maxBytes,
    targetBytes: Math.min(state.targetBytes, settings.batch.maxBytes),
    concurrency: settings.concurrency.initial,
  }),
  learn: learnDocumentSize,
  shrink: shrinkBatchTarget,
  succeed: (state, report, settings, ticket) => ({
    state: succeedBatchTarget(state, report, settings, ticket, settings.concurrency.initial),
    lowered: false,
  }),
};
