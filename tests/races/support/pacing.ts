import { resolveSettings } from '@aosc/contract';
import { createController, createPageSizer } from '@aosc/domain';
import type { ShardContext, ShardPacing } from '@aosc/engine';

export interface PacingSizes {
  readonly documentsPerBulk: number;
  readonly documentsPerPage: number;
  readonly concurrency: number;
}

/** Small on purpose: some hundred documents then take several windows, pages and bulks. */
const smallSizes: PacingSizes = { documentsPerBulk: 20, documentsPerPage: 25, concurrency: 2 };

/** The fixed controller, with the service's defaults but for the sizes, which are read at each decision. */
export function createSmallPacing(sizes: PacingSizes = smallSizes): ShardContext['pacing'] {
  const create = (): ShardPacing => createPacing(sizes);
  return { backfill: create, replay: create, catch_up: create };
}

function createPacing(sizes: PacingSizes): ShardPacing {
  const { controller } = resolveSettings(undefined, undefined).backfill;
  return {
    controller: createController(
      () => ({
        controllerType: 'fixed',
        controller: {
          ...controller,
          batch: { ...controller.batch, size: sizes.documentsPerBulk },
          concurrency: { ...controller.concurrency, initial: sizes.concurrency },
        },
      }),
      Math.random,
    ),
    controllerType: () => 'fixed' as const,
    pages: createPageSizer(),
    pageSizeLimit: () => sizes.documentsPerPage,
  };
}
