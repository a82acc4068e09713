import type { ControllerSettings } from '@aosc/contract';
import { type BulkReport, throughputOf } from './bulk-report';

/**
 * How many bulks are in flight, found by trying: the probe adds one after an interval of steady successes and keeps it
 * only when it pays. A bulk that adds no throughput is load for the cluster without speed for the copy.
 */
export interface ConcurrencyProbe {
  readonly concurrency: number;
  /** successes since the last change, and the sum of the throughput of all that was in flight at each, bytes per ms */
  readonly successes: number;
  readonly rateSum: number;
  /** the sum of how many were in flight at each */
  readonly inFlightSum: number;
  /** reports of bulks sent before the last change do not count, nor do those of bulks in flight with one of them */
  readonly changedAt: number;
  /** mean throughput before the last step up, while that is on trial */
  readonly rateBefore: number | undefined;
  /** the byte target before it was halved for the sake of that step */
  readonly bytesBefore: number | undefined;
  /** intervals to go before the next step up */
  readonly rest: number;
  /** the next rest: doubles each time the same step up did not pay */
  readonly patience: number;
}

/** What one more in flight must bring of the gain that an idle cluster would show. */
const worthwhileShare = 0.25;
/** With many bulks in flight the share above is so small that chance could reach it. */
const leastGain = 0.03;
const shortestRest = 8;
const longestRest = 64;

export function startProbe(concurrency: number): ConcurrencyProbe {
  return {
    concurrency,
    successes: 0,
    rateSum: 0,
    inFlightSum: 0,
    changedAt: 0,
    rateBefore: undefined,
    bytesBefore: undefined,
    rest: 0,
    patience: shortestRest,
  };
}

/** One bulk fewer, at least one: the cluster refused, or its latency rose. */
export function retreatConcurrency(
  { concurrency, changedAt }: ConcurrencyProbe,
  { max }: ControllerSettings['concurrency'],
): ConcurrencyProbe {
  return { ...startProbe(Math.max(1, Math.min(concurrency, max) - 1)), changedAt };
}

/** Bulks have another size now, so measurements with the old one are no basis for comparison. */
export function discardMeasurements(state: ConcurrencyProbe): ConcurrencyProbe {
  return { ...state, successes: 0, rateSum: 0, inFlightSum: 0 };
}

/** The probe tries nothing and takes no step up soon, so the batch may try a move instead. */
export function isResting({ concurrency, rateBefore, rest }: ConcurrencyProbe, max: number): boolean {
  return rateBefore === undefined && (concurrency >= max || rest > 0);
}

/**
 * A success while the latency is steady.
 * @param ticket what limits read after this will carry
 * @param mayMove false: count only (cooling down, or too few latencies seen)
 */
export function succeedConcurrency(
  before: ConcurrencyProbe,
  report: BulkReport,
  { max, probeInterval }: ControllerSettings['concurrency'],
  ticket: number,
  mayMove: boolean,
): ConcurrencyProbe {
  const concurrency = Math.min(before.concurrency, max);
  if (report.ticket < before.changedAt + concurrency - 1) return before;
  const along = measureAlong(report, ticket);
  const state: ConcurrencyProbe = {
    ...before,
    concurrency,
    successes: before.successes + 1,
    rateSum: before.rateSum + along.rate,
    inFlightSum: before.inFlightSum + along.inFlight,
  };
  if (!mayMove || state.successes < probeInterval) return state;

  const rate = state.rateSum / state.successes;
  const next = { ...startProbe(concurrency), changedAt: ticket };
  if (state.rateBefore !== undefined && concurrency > 1) {
    const needed = state.rateBefore * (1 + neededGain(state, concurrency));
    if (rate < needed) {
      const patience = Math.min(2 * state.patience, longestRest);
      return { ...next, concurrency: concurrency - 1, rest: state.patience, patience };
    }
    return stepUp(next, rate, max);
  }
  if (state.rest > 0) return { ...next, rest: state.rest - 1, patience: state.patience };
  return stepUp({ ...next, patience: state.patience }, rate, max);
}

/** What the last added bulk must bring, as a share of what the others brought without it. */
function neededGain({ inFlightSum, successes }: ConcurrencyProbe, concurrency: number): number {
  const inFlight = Math.max(concurrency, inFlightSum / successes);
  return Math.max(leastGain, worthwhileShare / (inFlight - 1));
}

/**
 * How many bulks really were in flight beside this one, and how fast they were together: about as many as ended
 * meanwhile, including this one. There are fewer than allowed when the source is read too slowly to send more. Without
 * this measure one more bulk would then seem to pay and bring nothing.
 */
function measureAlong(
  report: BulkReport,
  ticket: number,
): { readonly inFlight: number; readonly rate: number } {
  const { along, elapsedMs, ticket: sentAt } = report;
  if (along === undefined) {
    const inFlight = ticket - sentAt;
    return { inFlight, rate: inFlight * throughputOf(report) };
  }
  return { inFlight: along.bulks, rate: elapsedMs > 0 ? along.bytes / elapsedMs : 0 };
}

function stepUp(state: ConcurrencyProbe, rate: number, max: number): ConcurrencyProbe {
  if (state.concurrency >= max) return state;
  return { ...state, concurrency: state.concurrency + 1, rateBefore: rate };
}
