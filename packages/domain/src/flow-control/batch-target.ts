import type { ControllerSettings } from '@aosc/contract';
import { type BulkReport, throughputOf } from './bulk-report';

/**
 * The byte target of a bulk and how it moves: it halves when the cluster refuses, grows by a part after some successes,
 * and each growth is on trial: the controller takes it back if throughput falls. Where the target can't grow, or
 * growing did not pay, the controller tries a smaller one now and then, because a target that was too large from the
 * beginning would stay so for good.
 */
export interface BatchTarget {
  readonly targetBytes: number;
  /** moving average */
  readonly bytesPerDoc: number;
  /** moving average of throughput, bytes per ms; 0: no report has had one */
  readonly baseline: number;
  readonly successes: number;
  readonly cooldown: number;
  /** the last move, while the controller still judges it */
  readonly trial: Trial | undefined;
  /** what the last judged move speaks for */
  readonly verdict: 'larger' | 'smaller' | 'undecided';
  /** moves until the controller tries a smaller target again */
  readonly rest: number;
  /** the next rest: doubles each time a smaller target did not pay */
  readonly patience: number;
  /**
   * ticket of the limits since the last move or its taking back; reports of older bulks, and of bulks that were in
   * flight with one of those, do not count
   */
  readonly changedAt: number;
}

interface Trial {
  readonly towards: 'larger' | 'smaller';
  readonly previousBytes: number;
  /** reports so far, and the sum of their throughput */
  readonly reports: number;
  readonly throughputSum: number;
}

export type AllowedMoves = 'any' | 'smaller' | 'none';

const shortestRest = 2;
const longestRest = 64;

/**
 * Starts at the upper limit: the settings bound the number of documents anyway, and the first move can only be down.
 */
export function startBatchTarget({ batch }: ControllerSettings): BatchTarget {
  return {
    targetBytes: batch.maxBytes,
    bytesPerDoc: batch.startBytesPerDoc,
    baseline: 0,
    successes: 0,
    cooldown: 0,
    trial: undefined,
    verdict: 'undecided',
    rest: 0,
    patience: shortestRest,
    changedAt: 0,
  };
}

/** The target within the current limits: a change of the settings may have left it outside of them. */
export function targetWithin({ targetBytes }: BatchTarget, { batch }: ControllerSettings): number {
  return Math.min(Math.max(targetBytes, batch.minBytes), batch.maxBytes);
}

/** Documents that fit the target: at least one. */
export function docsWithin(state: BatchTarget, settings: ControllerSettings): number {
  const fitting = Math.floor(targetWithin(state, settings) / Math.max(state.bytesPerDoc, 1));
  return Math.max(1, Math.min(fitting, settings.batch.maxDocs));
}

/** Follows growth of documents faster than shrinking, because a bulk that is too large costs more than a small one. */
export function learnDocumentSize(state: BatchTarget, { documents, bytes }: BulkReport): BatchTarget {
  if (documents <= 0 || bytes <= 0) return state;
  const seen = bytes / documents;
  const weight = seen > 1.5 * state.bytesPerDoc ? 0.5 : 0.2;
  return { ...state, bytesPerDoc: (1 - weight) * state.bytesPerDoc + weight * seen };
}

/** Halves what bulks really hold: half of a target that is far above that would change nothing. */
export function shrinkBatchTarget(state: BatchTarget, settings: ControllerSettings): BatchTarget {
  return {
    ...state,
    targetBytes: halfTarget(state, settings) ?? settings.batch.minBytes,
    successes: 0,
    cooldown: settings.aimd.cooldownTicks,
    trial: undefined,
    verdict: 'undecided',
    rest: 0,
    patience: shortestRest,
  };
}

/** Bulks are about to become faster or slower for another reason than their size, so the old baseline is void. */
export function forgetThroughput(state: BatchTarget, ticket: number): BatchTarget {
  return {
    ...state,
    baseline: 0,
    successes: 0,
    trial: undefined,
    rest: 0,
    patience: shortestRest,
    changedAt: ticket,
  };
}

/**
 * The state after a success. With several bulks in flight it passes over reports of bulks sent before the last change:
 * if it counted them, bulks of one and the same size would judge a growth, take it back and try it again.
 * @param ticket what limits read after this will carry
 * @param inFlight bulks that are sent together: they are one look at the cluster, and count as one success
 * @param allowed which moves; all else is done in any case
 */
export function succeedBatchTarget(
  state: BatchTarget,
  report: BulkReport,
  settings: ControllerSettings,
  ticket: number,
  inFlight: number,
  allowed: AllowedMoves = 'any',
): BatchTarget {
  if (report.ticket < state.changedAt + inFlight - 1) return state;
  let throughput = throughputOf(report);
  let judged = state;
  if (state.trial !== undefined) {
    const reports = state.trial.reports + 1;
    const throughputSum = state.trial.throughputSum + throughput;
    if (reports < inFlight) return { ...state, trial: { ...state.trial, reports, throughputSum } };
    throughput = throughputSum / reports;
    judged = judgeTrial(state, state.trial, throughput, settings, ticket);
  }
  const baseline = judged.baseline <= 0 ? throughput : 0.7 * judged.baseline + 0.3 * throughput;
  return { ...moveOrCool(judged, settings, ticket, inFlight, allowed), baseline };
}

/**
 * Keeps a larger target unless throughput has fallen, and a smaller one only if it has risen, by the same part. A trial
 * without a baseline is lost: no move is kept without a measure.
 */
function judgeTrial(
  { trial: _, ...state }: BatchTarget,
  { towards, previousBytes }: Trial,
  throughput: number,
  { aimd }: ControllerSettings,
  ticket: number,
): BatchTarget {
  const before = state.baseline;
  const isKept =
    towards === 'larger'
      ? before <= 0 || throughput > before * (1 - aimd.trialRevertThreshold)
      : before > 0 && throughput >= before * (1 + aimd.trialRevertThreshold);
  if (isKept) {
    // The next smaller target has to beat this one, not the target that this one has beaten.
    const baseline = towards === 'smaller' ? throughput : before;
    return { ...state, trial: undefined, verdict: towards, baseline, patience: shortestRest };
  }
  const back = { ...state, trial: undefined, targetBytes: previousBytes, changedAt: ticket };
  if (towards === 'larger') return { ...back, verdict: 'smaller', cooldown: aimd.cooldownTicks };
  const patience = Math.min(2 * state.patience, longestRest);
  return { ...back, verdict: 'undecided', rest: state.patience, patience };
}

/** Successes count during a cooldown, too. The call that starts a cooldown also takes one tick off it. */
function moveOrCool(
  state: BatchTarget,
  settings: ControllerSettings,
  ticket: number,
  inFlight: number,
  allowed: AllowedMoves,
): BatchTarget {
  const { aimd, batch } = settings;
  const successes = state.successes + 1;
  if (state.cooldown > 0) return { ...state, successes, cooldown: state.cooldown - 1 };
  if (allowed === 'none' || successes < aimd.increaseThreshold * inFlight) return { ...state, successes };
  const current = targetWithin(state, settings);
  const canGrow = current < batch.maxBytes;
  const isDocumentBound = heldWithin(state, settings) < current;
  const mayBeTooLarge =
    !canGrow || state.verdict === 'smaller' || (state.verdict === 'larger' && isDocumentBound);
  const half = halfTarget(state, settings);
  if (mayBeTooLarge && state.rest === 0 && half !== undefined) {
    return tryTarget(state, 'smaller', current, half, ticket);
  }
  const rested = { ...state, successes: 0, rest: Math.max(0, state.rest - 1) };
  if (!canGrow || allowed === 'smaller') return rested;
  const step = Math.max(Math.floor(current * aimd.increaseRatio), aimd.minStepBytes);
  return tryTarget(rested, 'larger', current, Math.min(current + step, batch.maxBytes), ticket);
}

/** What a bulk really holds: the number of documents may bound it, and growth beyond that proves nothing. */
function heldWithin(state: BatchTarget, settings: ControllerSettings): number {
  return Math.min(targetWithin(state, settings), Math.floor(settings.batch.maxDocs * state.bytesPerDoc));
}

/** Half of what a bulk holds; undefined: that is less than allowed. */
export function halfTarget(state: BatchTarget, settings: ControllerSettings): number | undefined {
  const half = Math.floor(heldWithin(state, settings) / 2);
  return half < settings.batch.minBytes ? undefined : half;
}

function tryTarget(
  state: BatchTarget,
  towards: Trial['towards'],
  previousBytes: number,
  targetBytes: number,
  ticket: number,
): BatchTarget {
  const trial = { towards, previousBytes, reports: 0, throughputSum: 0 };
  return { ...state, trial, targetBytes, successes: 0, changedAt: ticket };
}
