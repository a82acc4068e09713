import type { Settings } from '@aosc/contract';
import { createController, createPageSizer } from '@aosc/domain';
import type { ShardPacing } from '@aosc/engine';

/** Controllers made anew for each job, fed with the settings of the moment. */
export function createPacing(settings: () => Settings): { backfill(): ShardPacing; replay(): ShardPacing } {
  const pageSizeLimit = (): number => settings().backfill.read.pageSize;
  return {
    backfill: () => ({
      controller: createController(
        settings().backfill.controllerType,
        () => settings().backfill.controller,
        Math.random,
      ),
      pages: createPageSizer(),
      pageSizeLimit,
    }),
    replay: () => ({
      controller: createController(
        settings().replay.controllerType,
        () => settings().replay.controller,
        Math.random,
      ),
      // A round has few documents: their sizes are known from the backfill, so the first page need not be tiny.
      pages: createPageSizer({ firstPage: 200 }),
      pageSizeLimit,
    }),
  };
}
