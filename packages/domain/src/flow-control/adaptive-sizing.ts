import type { ControllerSettings } from '@aosc/contract';
import {
  docsWithin,
  forgetThroughput,
  shrinkBatchTarget,
  succeedBatchTarget,
  targetWithin,
} from './batch-target';
import { isSettled, retreatConcurrency, succeedConcurrency } from './concurrency-probe';
import { gradientOf } from './latency-gradient';
import type { Learnt, Sizing } from './sizing';

/**
 * Controller type `adaptive` (backfill only): latency that rises is answered before anything is refused. While it is
 * steady the number in flight grows first, then the batch by the rules of `adaptive_batch`. (The original service
 * puts neither on trial, so that it ends at the highest number in flight whether or not that is faster, and has a
 * ratio and a patience of its own for the batch instead of the settings'.)
 */
export const adaptiveSizing: Sizing = {
  limits: ({ batch, probe }, settings) => ({
    maxDocs: docsWithin(batch, settings),
    targetBytes: targetWithin(batch, settings),
    maxBytes: Math.min(2 * targetWithin(batch, settings), settings.batch.maxBytes),
    concurrency: Math.min(probe.concurrency, settings.concurrency.max),
  }),

  shrink: retreat,

  succeed: (state, report, settings, ticket) => {
    const gradient = gradientOf(state.gradient);
    if (gradient !== undefined && gradient > settings.concurrency.gradientThreshold) {
      return { state: retreat(state, settings), lowered: true };
    }
    // The cooldown after a decrease is one of the whole controller, and one thing is tried at a time.
    const mayMove = gradient !== undefined && state.batch.cooldown === 0;
    const probe = succeedConcurrency(
      state.probe,
      report,
      settings.concurrency,
      ticket,
      mayMove && !state.batch.onTrial,
    );
    if (probe.concurrency !== state.probe.concurrency) {
      return { state: { ...state, probe, batch: forgetThroughput(state.batch, ticket) }, lowered: false };
    }
    const mayGrow = mayMove && isSettled(probe, settings.concurrency.max);
    const batch = succeedBatchTarget(state.batch, report, settings, ticket, probe.concurrency, mayGrow);
    return { state: { ...state, batch, probe }, lowered: false };
  },
};

function retreat(state: Learnt, settings: ControllerSettings): Learnt {
  return {
    ...state,
    batch: shrinkBatchTarget(state.batch, settings),
    probe: retreatConcurrency(state.probe, settings.concurrency),
  };
}
