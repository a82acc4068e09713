import { cleanupLeases, clearState } from './administration';
import { cancelMigration } from './cancel-migration';
import { getSettings, putSettings } from './cluster-settings';
import { getMigrationStatus } from './get-migration-status';
import { listMigrations } from './list-migrations';
import type { Operation } from './operation';
import { getHealth, getMetrics, getOpenApi, getReadiness } from './service';
import { startMigration } from './start-migration';

/** Every endpoint of the API. A test holds it equal to the app's routes. */
export const operations: readonly Operation[] = [
  startMigration,
  getMigrationStatus,
  cancelMigration,
  listMigrations,
  cleanupLeases,
  clearState,
  getSettings,
  putSettings,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
];
