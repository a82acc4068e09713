import type { ControllerSettings, ControllerType } from '@aosc/contract';
import { adaptiveBatchSizing } from './adaptive-batch-sizing';
import { adaptiveSizing } from './adaptive-sizing';
import { type BackoffState, calm, decay, endRow, escalate } from './backoff';
import type { BulkDecision, BulkLimits, BulkReport, ReadReport, RefusedRead } from './bulk-report';
import { fixedSizing } from './fixed-sizing';
import { learn, type Learnt, restartConcurrency, type Sizing, startLearning } from './sizing';

/** The settings of one bulk writer: backfill and replay each have their own. */
export interface WriterSettings {
  readonly controllerType: ControllerType;
  readonly controller: ControllerSettings;
}

const sizings: Readonly<Record<ControllerType, Sizing>> = {
  fixed: fixedSizing,
  adaptive_batch: adaptiveBatchSizing,
  adaptive: adaptiveSizing,
};

export interface ControllerState {
  readonly learnt: Learnt;
  /** the settings that `learnt` started with; a difference shows that one has changed */
  readonly began: {
    readonly type: ControllerType;
    readonly concurrency: number;
    readonly bytesPerDoc: number;
  };
  /** of the bulks */
  readonly backoff: BackoffState;
  /** of the reads, which pause apart from the bulks; both rows of failures together count towards the limit */
  readonly reads: BackoffState;
  /** reads with a smaller ticket were under way when one was refused */
  readonly readsRefusedAt: number;
  /** reports so far, except those of good reads: the ticket of the limits in force */
  readonly observed: number;
  /** limits with a smaller ticket are older than the last decrease */
  readonly loweredAt: number;
  /**
   * half the smallest request that the cluster found too large: a limit of its configuration, which load can't change
   */
  readonly ceilingBytes: number;
}

interface Transition {
  readonly state: ControllerState;
  readonly decision: BulkDecision;
}

export function startController(settings: WriterSettings): ControllerState {
  return {
    learnt: startLearning(settings.controller),
    began: beginningOf(settings),
    backoff: calm,
    reads: calm,
    readsRefusedAt: 0,
    observed: 0,
    loweredAt: 0,
    ceilingBytes: Infinity,
  };
}

function beginningOf({ controllerType, controller }: WriterSettings): ControllerState['began'] {
  return {
    type: controllerType,
    concurrency: controller.concurrency.initial,
    bytesPerDoc: controller.batch.startBytesPerDoc,
  };
}

/**
 * Takes up a change of the settings that give a starting value: the controller starts there again. A change of the type
 * restarts only the number in flight; the controller keeps the byte target, the size of documents, latencies, pauses
 * and what was too large for the cluster. Each decision calls this first.
 */
export function followSettings(state: ControllerState, settings: WriterSettings): ControllerState {
  const began = beginningOf(settings);
  const { type, concurrency, bytesPerDoc } = state.began;
  let { learnt } = state;
  if (began.bytesPerDoc !== bytesPerDoc) {
    learnt = { ...learnt, batch: { ...learnt.batch, bytesPerDoc: began.bytesPerDoc } };
  }
  if (began.type !== type || began.concurrency !== concurrency) {
    learnt = restartConcurrency(learnt, settings.controller, state.observed);
  }
  return learnt === state.learnt ? state : { ...state, learnt, began };
}

export function readLimits(state: ControllerState, settings: WriterSettings): BulkLimits {
  const limits = sizings[settings.controllerType].limits(state.learnt, settings.controller);
  const below = (bytes: number): number => Math.min(bytes, state.ceilingBytes);
  return {
    ...limits,
    targetBytes: below(limits.targetBytes),
    maxBytes: below(limits.maxBytes),
    ticket: state.observed,
  };
}

/**
 * The transition for one report. The cluster refuses bulks that were in flight together all at once: only the first of
 * them makes the pause longer and the bulks smaller, the others repeat the pause. (If each counted, one full queue
 * would become the longest pause as soon as eight bulks are in flight.)
 * @param random uniform in [0, 1)
 */
export function observeBulk(
  before: ControllerState,
  report: BulkReport,
  { controllerType, controller: settings }: WriterSettings,
  random: number,
): Transition {
  const sizing = sizings[controllerType];
  const state = { ...before, learnt: learn(before.learnt, report), observed: before.observed + 1 };
  const sentBeforeDecrease = report.ticket < before.loweredAt;
  switch (report.kind) {
    case 'success':
      return {
        state: succeed(sizing, state, report, settings, sentBeforeDecrease),
        decision: { action: 'continue' },
      };
    case 'overload':
    case 'transient': {
      if (sentBeforeDecrease) return { state, decision: { action: 'pause', pauseMs: state.backoff.pauseMs } };
      const { reason, isOutage = false } = report;
      const backoff = escalate(state.backoff, settings.overload, random, !isOutage);
      const lowered = {
        ...state,
        backoff,
        // smaller bulks bring no cluster back
        learnt: isOutage ? state.learnt : sizing.shrink(state.learnt, settings),
        loweredAt: state.observed,
      };
      return {
        state: lowered,
        decision: decidePause(lowered, backoff.pauseMs, { reason, isOutage }, settings),
      };
    }
    case 'too_large':
      return {
        state: {
          ...state,
          ceilingBytes: Math.min(state.ceilingBytes, Math.max(1, Math.floor(report.bytes / 2))),
        },
        decision: report.documents > 1 ? { action: 'continue' } : fail(tooLarge(report.bytes, report.reason)),
      };
    case 'fatal':
      return { state, decision: fail(`Bulk failed after ${report.attempts} attempts: ${report.reason}`) };
  }
}

/** A success from before the decrease shows that the cluster is alive, but nothing about the new limits. */
function succeed(
  sizing: Sizing,
  state: ControllerState,
  report: BulkReport,
  settings: ControllerSettings,
  sentBeforeDecrease: boolean,
): ControllerState {
  const reads = endRow(state.reads);
  if (sentBeforeDecrease) return { ...state, backoff: endRow(state.backoff), reads };
  const step = sizing.succeed(state.learnt, report, settings, state.observed);
  return {
    ...state,
    backoff: decay(state.backoff),
    reads,
    learnt: step.state,
    loweredAt: step.lowered ? state.observed : state.loweredAt,
  };
}

/**
 * The transition for one read. A good read ends only the reads' row of failures: reads between two attempts of a bulk
 * are no progress. A good bulk ends both rows.
 * @param random uniform in [0, 1)
 */
export function observeRead(
  state: ControllerState,
  report: ReadReport,
  { controller: settings }: WriterSettings,
  random: number,
): Transition {
  const beganBefore = report.ticket < state.readsRefusedAt;
  if (report.kind === 'success') {
    const reads = beganBefore ? endRow(state.reads) : decay(state.reads);
    return { state: { ...state, reads }, decision: { action: 'continue' } };
  }
  if (beganBefore) return { state, decision: { action: 'pause', pauseMs: state.reads.pauseMs } };
  const reads = escalate(state.reads, settings.overload, random, !report.isOutage);
  const observed = state.observed + 1;
  const after = { ...state, reads, observed, readsRefusedAt: observed };
  return { state: after, decision: decidePause(after, reads.pauseMs, report, settings) };
}

function decidePause(
  { backoff, reads }: ControllerState,
  pauseMs: number,
  { reason, isOutage }: Omit<RefusedRead, 'kind'>,
  { overload }: ControllerSettings,
): BulkDecision {
  const failures = backoff.consecutiveFailures + reads.consecutiveFailures;
  if (isOutage || failures < overload.maxConsecutiveFailures) return { action: 'pause', pauseMs };
  return fail(`Overload backoff exhausted after ${failures} consecutive failures, the last one: ${reason}`);
}

const fail = (reason: string): BulkDecision => ({ action: 'fail', reason });
const tooLarge = (bytes: number, reason: string) =>
  `A bulk of a single document (${bytes} bytes) is too large for the cluster: ${reason}`;
