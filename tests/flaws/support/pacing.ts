import { resolveSettings } from '@aosc/contract';
import { createController, createPageSizer } from '@aosc/domain';
import type { ShardContext, ShardPacing } from '@aosc/engine';

/** Small on purpose: some hundred documents then take several windows, pages and bulks. */
const documentsPerBulk = 20;
const documentsPerPage = 25;
const concurrency = 2;

/** The fixed controller, with the service's defaults but for the sizes above. */
export const smallPacing: ShardContext['pacing'] = { backfill: createPacing, replay: createPacing };

function createPacing(): ShardPacing {
  const { controller } = resolveSettings(undefined, undefined).backfill;
  return {
    controller: createController(
      'fixed',
      () => ({
        ...controller,
        batch: { ...controller.batch, size: documentsPerBulk },
        concurrency: { ...controller.concurrency, initial: concurrency },
      }),
      Math.random,
    ),
    pages: createPageSizer(),
    pageSizeLimit: () => documentsPerPage,
  };
}
