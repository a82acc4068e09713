import type { Sizing } from './sizing';

/** Controller type `fixed`: what the settings say. */
export const fixedSizing: Sizing<null> = {
  start: () => null,
  limits: (_, { batch, concurrency }) => ({
    maxDocs: batch.size,
    maxBytes: batch.maxBytes,
    targetBytes: batch.maxBytes,
    concurrency: concurrency.initial,
  }),
  learn: (state) => state,
  shrink: (state) => state,
  succeed: (state) => ({ state, lowered: false }),
};
