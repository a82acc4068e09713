import type { ControllerSettings } from '@aosc/contract';
import {
  type AllowedMoves,
  docsWithin,
  forgetThroughput,
  halfTarget,
  shrinkBatchTarget,
  succeedBatchTarget,
  targetWithin,
} from './batch-target';
import {
  type ConcurrencyProbe,
  isResting,
  discardMeasurements,
  retreatConcurrency,
  succeedConcurrency,
} from './concurrency-probe';
import type { BulkReport } from './bulk-report';
import { gradientOf } from './latency-gradient';
import type { Learnt, Sizing } from './sizing';

/**
 * Controller type `adaptive` (backfill only). It reacts to rising latency before the cluster refuses anything. While
 * the latency is steady, the number in flight grows first, then the batch by the rules of `adaptive_batch`. (The
 * original service puts neither change on trial, so it ends at the highest number in flight whether or not that is
 * faster. For the batch it uses a ratio and a patience of its own instead of the settings'.)
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
    // One cooldown after a decrease holds for the whole controller, which tries one thing at a time.
    const isCool = state.batch.cooldown === 0;
    const probe = isOfUsualSize(state, report)
      ? succeedConcurrency(
          state.probe,
          report,
          settings.concurrency,
          ticket,
          isCool && gradient !== undefined,
        )
      : state.probe;
    if (probe.concurrency < state.probe.concurrency) {
      return { state: halveOrStepBack(state, probe, settings, ticket), lowered: false };
    }
    if (probe.concurrency > state.probe.concurrency) {
      return { state: { ...state, probe, batch: forgetThroughput(state.batch, ticket) }, lowered: false };
    }
    const allowed = isCool ? allowedMoves(probe, settings) : 'none';
    const batch = succeedBatchTarget(state.batch, report, settings, ticket, probe.concurrency, allowed);
    const isSmaller =
      state.batch.trial !== undefined && batch.trial === undefined && batch.verdict === 'smaller';
    return {
      state: { ...state, batch, probe: isSmaller ? discardMeasurements(probe) : probe },
      lowered: false,
    };
  },
};

/**
 * The last step up did not pay. All bulks together may be too much at this size, so the number in flight gets a second
 * chance with bulks of half the size before number and size go back to what they were.
 */
function halveOrStepBack(
  { batch, probe, gradient }: Learnt,
  stepBack: ConcurrencyProbe,
  settings: ControllerSettings,
  ticket: number,
): Learnt {
  const forgetful = forgetThroughput(batch, ticket);
  const half = probe.bytesBefore === undefined ? halfTarget(batch, settings) : undefined;
  if (half === undefined) {
    const targetBytes = probe.bytesBefore ?? batch.targetBytes;
    return { gradient, probe: stepBack, batch: { ...forgetful, targetBytes } };
  }
  const bytesBefore = targetWithin(batch, settings);
  return {
    gradient,
    probe: { ...discardMeasurements(probe), changedAt: ticket, bytesBefore },
    batch: { ...forgetful, targetBytes: half },
  };
}

/** While the batch tries another size, bulks say nothing about the number in flight. */
function isOfUsualSize({ batch }: Learnt, report: BulkReport): boolean {
  return batch.trial === undefined && report.ticket >= batch.changedAt;
}

/**
 * The controller tries smaller bulks before it puts more in flight: a bulk that is too large by itself does more harm
 * beside others.
 */
function allowedMoves(probe: ConcurrencyProbe, { concurrency }: ControllerSettings): AllowedMoves {
  if (isResting(probe, concurrency.max)) return 'any';
  return probe.rateBefore === undefined ? 'smaller' : 'none';
}

function retreat(state: Learnt, settings: ControllerSettings): Learnt {
  return {
    ...state,
    batch: shrinkBatchTarget(state.batch, settings),
    probe: retreatConcurrency(state.probe, settings.concurrency),
  };
}
