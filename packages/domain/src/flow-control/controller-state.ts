import type { ControllerSettings } from '@aosc/contract';
import { type BackoffState, calm, decay, escalate, isExhausted } from './backoff';
import type { BulkDecision, BulkLimits, BulkReport } from './bulk-report';
import type { Sizing } from './sizing';

export interface ControllerState<S> {
  readonly sizing: S;
  readonly backoff: BackoffState;
  /** reports observed so far: the ticket of the limits in force */
  readonly observed: number;
  /** limits with a smaller ticket are older than the last decrease */
  readonly loweredAt: number;
  /** half the smallest request the cluster found too large: a limit of its configuration, which load can't change */
  readonly ceilingBytes: number;
}

export function startController<S>(sizing: Sizing<S>, settings: ControllerSettings): ControllerState<S> {
  return { sizing: sizing.start(settings), backoff: calm, observed: 0, loweredAt: 0, ceilingBytes: Infinity };
}

export function readLimits<S>(
  sizing: Sizing<S>,
  state: ControllerState<S>,
  settings: ControllerSettings,
): BulkLimits {
  const limits = sizing.limits(state.sizing, settings);
  const below = (bytes: number): number => Math.min(bytes, state.ceilingBytes);
  return {
    ...limits,
    maxBytes: below(limits.maxBytes),
    targetBytes: below(limits.targetBytes),
    ticket: state.observed,
  };
}

/**
 * The transition for one report. Bulks that were in flight together are refused together: only the first of them
 * makes the pause longer and the bulks smaller, the others repeat the pause. (Counting each would turn one full
 * queue into the longest pause as soon as eight are in flight.)
 * @param random uniform in [0, 1)
 */
export function observeBulk<S>(
  sizing: Sizing<S>,
  before: ControllerState<S>,
  report: BulkReport,
  settings: ControllerSettings,
  random: number,
): { readonly state: ControllerState<S>; readonly decision: BulkDecision } {
  const state = {
    ...before,
    sizing: sizing.learn(before.sizing, report),
    observed: before.observed + 1,
  };
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
      const backoff = escalate(state.backoff, settings.overload, random);
      const lowered = {
        ...state,
        backoff,
        sizing: sizing.shrink(state.sizing, settings),
        loweredAt: state.observed,
      };
      return { state: lowered, decision: decidePause(backoff, report.reason, settings) };
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
function succeed<S>(
  sizing: Sizing<S>,
  state: ControllerState<S>,
  report: BulkReport,
  settings: ControllerSettings,
  sentBeforeDecrease: boolean,
): ControllerState<S> {
  if (sentBeforeDecrease) return { ...state, backoff: { ...state.backoff, consecutiveFailures: 0 } };
  const step = sizing.succeed(state.sizing, report, settings, state.observed);
  return {
    ...state,
    backoff: decay(state.backoff),
    sizing: step.state,
    loweredAt: step.lowered ? state.observed : state.loweredAt,
  };
}

function decidePause(backoff: BackoffState, reason: string, { overload }: ControllerSettings): BulkDecision {
  if (!isExhausted(backoff, overload)) return { action: 'pause', pauseMs: backoff.pauseMs };
  return fail(
    `Overload backoff exhausted after ${backoff.consecutiveFailures} consecutive failures, the last one: ${reason}`,
  );
}

const fail = (reason: string): BulkDecision => ({ action: 'fail', reason });
const tooLarge = (bytes: number, reason: string) =>
  `A bulk of a single document (${bytes} bytes) is too large for the cluster: ${reason}`;
