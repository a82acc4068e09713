import type { ControllerSettings, ControllerType } from '@aosc/contract';
import { adaptiveBatchSizing } from './adaptive-batch-sizing';
import { adaptiveSizing } from './adaptive-sizing';
import type { BulkDecision, BulkLimits, BulkReport } from './bulk-report';
import { observeBulk, readLimits, startController } from './controller-state';
import { fixedSizing } from './fixed-sizing';
import type { Sizing } from './sizing';

/** Decides how large one shard's bulks are, how many are in flight, and when to pause or to give up. */
export interface BulkController {
  limits(): BulkLimits;
  /** To be called once for each bulk that was sent, in the order in which they end. */
  observe(report: BulkReport): BulkDecision;
}

/**
 * @param type stays what it is for the controller's life; all other settings are read anew at each decision
 * @param random uniform in [0, 1)
 */
export function createController(
  type: ControllerType,
  readSettings: () => ControllerSettings,
  random: () => number,
): BulkController {
  switch (type) {
    case 'fixed':
      return hold(fixedSizing, readSettings, random);
    case 'adaptive_batch':
      return hold(adaptiveBatchSizing, readSettings, random);
    case 'adaptive':
      return hold(adaptiveSizing, readSettings, random);
  }
}

function hold<S>(
  sizing: Sizing<S>,
  readSettings: () => ControllerSettings,
  random: () => number,
): BulkController {
  let state = startController(sizing, readSettings());
  return {
    limits: () => readLimits(sizing, state, readSettings()),
    observe(report) {
      const step = observeBulk(sizing, state, report, readSettings(), random());
      state = step.state;
      return step.decision;
    },
  };
}
