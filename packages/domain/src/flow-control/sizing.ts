import type { ControllerSettings } from '@aosc/contract';
import type { BulkLimits, BulkReport } from './bulk-report';

/**
 * One way to size bulks, as pure functions over its state. Settings are read anew for every call: they may have
 * changed since the last one.
 */
export interface Sizing<S> {
  start(settings: ControllerSettings): S;
  limits(state: S, settings: ControllerSettings): Omit<BulkLimits, 'ticket'>;
  /** what any report teaches: sizes, latencies */
  learn(state: S, report: BulkReport): S;
  /** the cluster refused */
  shrink(state: S, settings: ControllerSettings): S;
  /**
   * A success of a bulk sent after the last decrease.
   * @param ticket what limits read after this will carry
   */
  succeed(state: S, report: BulkReport, settings: ControllerSettings, ticket: number): Step<S>;
}

export interface Step<S> {
  readonly state: S;
  /** limits were lowered: reports of bulks sent before say nothing about the new ones */
  readonly lowered: boolean;
}
