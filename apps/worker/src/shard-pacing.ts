import type { Settings } from '@aosc/contract';
import { createController } from '@aosc/domain';
import type { Pacing, ShardPacing } from '@aosc/engine';
import { PageSizes } from './page-sizes';

/**
 * Controllers made anew for each job, fed with the settings of the moment; sizes of pages known per migration.
 * @param random uniform in [0, 1)
 */
export function createPacing(
  settings: () => Settings,
  random: () => number = Math.random,
): (migrationKey: string) => Pacing {
  const sizes = new PageSizes();
  const pageSizeLimit = (): number => settings().backfill.read.pageSize;
  const make = (work: 'backfill' | 'replay', migrationKey: string): ShardPacing => ({
    controller: createController(() => settings()[work], random),
    controllerType: () => settings()[work].controllerType,
    pages: sizes.of(migrationKey),
    pageSizeLimit,
  });
  return (migrationKey) => ({
    backfill: () => make('backfill', migrationKey),
    replay: () => make('replay', migrationKey),
  });
}
