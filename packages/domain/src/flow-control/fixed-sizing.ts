import type { Sizing } from './sizing';

/** Controller type `fixed`: the settings say size and number. */
export const fixedSizing: Sizing = {
  limits: (_, { batch, concurrency }) => ({
    maxDocs: batch.size,
    maxBytes: batch.maxBytes,
    targetBytes: batch.maxBytes,
    concurrency: concurrency.initial,
  }),
  shrink: (state) => state,
  succeed: (state) => ({ state, lowered: false }),
};
