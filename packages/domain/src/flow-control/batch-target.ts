import type { ControllerSettings } from '@aosc/contract';
import { type BulkReport, throughputOf } from './bulk-report';

/**
 * The byte target of a bulk and how it moves: halved when the cluster refuses, grown by a part after some successes,
 * and each growth on trial: if throughput falls, it is taken back.
 */
export interface BatchTarget {
  readonly targetBytes: number;
  /** moving average */
  readonly bytesPerDoc: number;
  /** moving average of throughput, bytes per ms; 0: none seen */
  readonly baseline: number;
  /** the target before the last growth */
  readonly previousBytes: number;
  readonly successes: number;
  readonly cooldown: number;
  /** the last growth is still to be judged */
  readonly onTrial: boolean;
  /** ticket of the limits since the last growth or its taking back; older reports are passed over */
  readonly changedAt: number;
}

/** Begins at the upper limit: the number of documents is bounded anyway, and the first move can only be down. */
export function startBatchTarget({ batch }: ControllerSettings): BatchTarget {
  return {
    targetBytes: batch.maxBytes,
    bytesPerDoc: batch.startBytesPerDoc,
    baseline: 0,
    previousBytes: batch.maxBytes,
    successes: 0,
    cooldown: 0,
    onTrial: false,
    changedAt: 0,
  };
}

/** The target within the limits of the moment, which may have been moved past it. */
export function targetWithin({ targetBytes }: BatchTarget, { batch }: ControllerSettings): number {
  return Math.min(Math.max(targetBytes, batch.minBytes), batch.maxBytes);
}

/** Documents that fit the target: at least one. */
export function docsWithin(state: BatchTarget, settings: ControllerSettings): number {
  const fitting = Math.floor(targetWithin(state, settings) / Math.max(state.bytesPerDoc, 1));
  return Math.max(1, Math.min(fitting, settings.batch.maxDocs));
}

/** Follows sudden growth of documents faster than anything else: too large a bulk is the dearer mistake. */
export function learnDocumentSize(state: BatchTarget, { documents, bytes }: BulkReport): BatchTarget {
  if (documents <= 0 || bytes <= 0) return state;
  const seen = bytes / documents;
  const weight = seen > 1.5 * state.bytesPerDoc ? 0.5 : 0.2;
  return { ...state, bytesPerDoc: (1 - weight) * state.bytesPerDoc + weight * seen };
}

export function shrinkBatchTarget(state: BatchTarget, settings: ControllerSettings): BatchTarget {
  return {
    ...state,
    targetBytes: Math.max(Math.floor(targetWithin(state, settings) / 2), settings.batch.minBytes),
    successes: 0,
    cooldown: settings.aimd.cooldownTicks,
    onTrial: false,
  };
}

/** Bulks will be faster or slower for another reason than their size: what was measured so far is no baseline. */
export function forgetThroughput(state: BatchTarget, ticket: number): BatchTarget {
  return { ...state, baseline: 0, successes: 0, onTrial: false, changedAt: ticket };
}

/**
 * A success. With several bulks in flight the reports of those sent before the last change are passed over: counting
 * them, a growth would be judged, taken back and tried again by bulks of one and the same size.
 * @param ticket what limits read after this will carry
 * @param inFlight bulks that are sent together: they are one look at the cluster, and count as one success
 * @param mayGrow false: everything but the growth
 */
export function succeedBatchTarget(
  state: BatchTarget,
  report: BulkReport,
  settings: ControllerSettings,
  ticket: number,
  inFlight: number,
  mayGrow = true,
): BatchTarget {
  if (report.ticket < state.changedAt) return state;
  const throughput = throughputOf(report);
  const judged = state.onTrial ? judgeTrial(state, throughput, settings, ticket) : state;
  const baseline = state.baseline <= 0 ? throughput : 0.7 * state.baseline + 0.3 * throughput;
  return { ...growOrCool(judged, settings, ticket, inFlight, mayGrow), baseline };
}

/** A throughput that can't be told counts as lost: without a measure no growth is kept. */
function judgeTrial(
  state: BatchTarget,
  throughput: number,
  { aimd }: ControllerSettings,
  ticket: number,
): BatchTarget {
  const worse = state.baseline > 0 && throughput <= state.baseline * (1 - aimd.trialRevertThreshold);
  if (!worse) return { ...state, onTrial: false };
  return {
    ...state,
    onTrial: false,
    targetBytes: state.previousBytes,
    cooldown: aimd.cooldownTicks,
    changedAt: ticket,
  };
}

/** Successes count while it cools down, too; the same call that starts a cooldown takes one tick off it. */
function growOrCool(
  state: BatchTarget,
  settings: ControllerSettings,
  ticket: number,
  inFlight: number,
  mayGrow: boolean,
): BatchTarget {
  const { batch, aimd } = settings;
  const successes = state.successes + 1;
  if (state.cooldown > 0) return { ...state, successes, cooldown: state.cooldown - 1 };
  const previousBytes = targetWithin(state, settings);
  const due = successes >= aimd.increaseThreshold * inFlight && previousBytes < batch.maxBytes;
  if (!due || !mayGrow) return { ...state, successes };
  const step = Math.max(Math.floor(previousBytes * aimd.increaseRatio), aimd.minStepBytes);
  return {
    ...state,
    previousBytes,
    targetBytes: Math.min(previousBytes + step, batch.maxBytes),
    successes: 0,
    onTrial: true,
    changedAt: ticket,
  };
}
