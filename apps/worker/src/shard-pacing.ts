import type { Settings } from '@aosc/contract';
import { ProcessBulks, createController, underWriteBlock, type WriterSettings } from '@aosc/domain';
import type { Pacing, ShardPacing } from '@aosc/engine';
import { PageSizes } from './page-sizes';

/**
 * Creates new controllers for each job, which read the current settings; sizes of pages are kept per migration.
 * @param random uniform in [0, 1)
 */
export function createPacing(
  settings: () => Settings,
  random: () => number = Math.random,
): (migrationKey: string) => Pacing {
  const sizes = new PageSizes();
  const processBulks = new ProcessBulks();
  const make = (readSettings: () => WriterSettings, migrationKey: string): ShardPacing => ({
    controller: createController(readSettings, random),
    controllerType: () => readSettings().controllerType,
    pages: sizes.of(migrationKey),
    pageSizeLimit: () => settings().backfill.read.pageSize,
    processBulks,
  });
  return (key) => ({
    backfill: () => make(() => settings().backfill, key),
    replay: () => make(() => settings().replay, key),
    catch_up: () => make(() => underWriteBlock(settings().replay), key),
  });
}
