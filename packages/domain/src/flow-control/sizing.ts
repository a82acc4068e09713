import type { ControllerSettings } from '@aosc/contract';
import { type BatchTarget, forgetThroughput, learnDocumentSize, startBatchTarget } from './batch-target';
import type { BulkLimits, BulkReport } from './bulk-report';
import { type ConcurrencyProbe, startProbe } from './concurrency-probe';
import { type LatencyGradient, learnLatency, noLatencies } from './latency-gradient';

/**
 * What a controller has learnt of cluster and documents. All types share it and learn all of it, even what they don't
 * use, so that a running shard changes to another type with what it knows.
 */
export interface Learnt {
  readonly batch: BatchTarget;
  readonly probe: ConcurrencyProbe;
  readonly gradient: LatencyGradient;
}

/**
 * One way to size bulks, as pure functions over what the controller has learnt. Each call takes the settings: they may
 * have changed since the last one.
 */
export interface Sizing {
  limits(state: Learnt, settings: ControllerSettings): Omit<BulkLimits, 'ticket'>;
  /** the cluster refused */
  shrink(state: Learnt, settings: ControllerSettings): Learnt;
  /**
   * A success of a bulk sent after the last decrease.
   * @param ticket what limits read after this will carry
   */
  succeed(state: Learnt, report: BulkReport, settings: ControllerSettings, ticket: number): Step;
}

interface Step {
  readonly state: Learnt;
  /** limits were lowered: reports of bulks sent before say nothing about the new ones */
  readonly lowered: boolean;
}

export function startLearning(settings: ControllerSettings): Learnt {
  return {
    batch: startBatchTarget(settings),
    probe: startProbe(settings.concurrency.initial),
    gradient: noLatencies,
  };
}

/** Takes from any report, a failure's too, what it shows of sizes and latencies. */
export function learn(state: Learnt, report: BulkReport): Learnt {
  return {
    ...state,
    batch: learnDocumentSize(state.batch, report),
    gradient: learnLatency(state.gradient, report),
  };
}

/**
 * The settings set another number of bulks in flight: the probe starts with it, and measurements with the old number
 * are no baseline any more.
 * @param ticket what limits read after this will carry
 */
export function restartConcurrency(state: Learnt, settings: ControllerSettings, ticket: number): Learnt {
  return {
    ...state,
    probe: { ...startProbe(settings.concurrency.initial), changedAt: ticket },
    batch: forgetThroughput(state.batch, ticket),
  };
}
