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

/**
 * Decides how large one shard's bulks are, how many are in flight, and when to pause or to give up.
 * @param readSettings read at each decision; the controller's type may change, too
 * @param random uniform in [0, 1)
 */
export function createController(readSettings: () => WriterSettings, random: () => number) {
  let state = startController(readSettings());
  const follow = (): WriterSettings => {
    const settings = readSettings();
    state = followSettings(state, settings);
    return settings;
  };
  const decide = (step: ReturnType<typeof observeBulk>): BulkDecision => {
    state = step.state;
    return step.decision;
  };
  return {
    limits(): BulkLimits {
      const settings = follow();
      return readLimits(state, settings);
    },
    /** What keeps the bulks from being larger. */
    limitedBy(): BulkLimit {
      const settings = follow();
      return findBulkLimit(state, settings);
    },
    /** Takes the report of each sent bulk once, in the order in which they end. */
    observe(report: BulkReport): BulkDecision {
      const settings = follow();
      return decide(observeBulk(state, report, settings, random()));
    },
    /** Takes the report of each ended read once; a pause holds back reads only. */
    observeRead(report: ReadReport): BulkDecision {
      const settings = follow();
      return decide(observeRead(state, report, settings, random()));
    },
  };
}
export type BulkController = ReturnType<typeof createController>;
