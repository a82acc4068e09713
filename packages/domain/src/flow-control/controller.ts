import { type BulkLimit, findBulkLimit } from './bulk-limit';
import type { BulkDecision, BulkLimits, BulkReport, ReadReport } from './bulk-report';
import {
  followSettings,
  observeBulk,
  observeRead,
  readLimits,
  startController,
  type WriterSettings,
} from './controller-transitions';

/** Decides how large one shard's bulks are, how many are in flight, and when to pause or to give up. */
export interface BulkController {
  limits(): BulkLimits;
  /** What keeps the bulks from being larger. */
  limitedBy(): BulkLimit;
  /** Takes the report of each sent bulk once, in the order in which they end. */
  observe(report: BulkReport): BulkDecision;
  /** Takes the report of each ended read once; a pause holds back reads only. */
  observeRead(report: ReadReport): BulkDecision;
}

/**
 * @param readSettings read at each decision; the controller's type may change, too
 * @param random uniform in [0, 1)
 */
export function createController(readSettings: () => WriterSettings, random: () => number): BulkController {
  let state = startController(readSettings());
  return {
    limits() {
      const settings = readSettings();
      state = followSettings(state, settings);
      return readLimits(state, settings);
    },
    limitedBy() {
      const settings = readSettings();
      return findBulkLimit(followSettings(state, settings), settings);
    },
    observe(report) {
      const settings = readSettings();
      const step = observeBulk(followSettings(state, settings), report, settings, random());
      state = step.state;
      return step.decision;
    },
    observeRead(report) {
      const settings = readSettings();
      const step = observeRead(followSettings(state, settings), report, settings, random());
      state = step.state;
      return step.decision;
    },
  };
}
