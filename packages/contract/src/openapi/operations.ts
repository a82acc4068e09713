import { cleanupLeases, clearState } from './administration';
import { cancelMigration } from './cancel-migration';
import { orderCutover } from './order-cutover';
import { getSettings, putSettings } from './cluster-settings';
import { createTarget } from './create-target';
import { getMigration, getMigrationStatus } from './get-migration-status';
import { getMigrationShard, getShard } from './get-shard';
import { getMigrationTimeline, getTimeline } from './get-timeline';
import { getMigrationIndices, listIndices } from './indices';
import { listMigrations } from './list-migrations';
import type { Operation } from './operation';
import { streamEvents } from './stream-events';
import { getHealth, getMetrics, getOpenApi, getReadiness } from './service';
import { previewTransform } from './preview-transform';
import { endSession, getSession, openSession } from './sessions';
import { startMigration } from './start-migration';

/** Every endpoint of the API. A test holds it equal to the app's routes. */
export const operations: readonly Operation[] = [
  startMigration,
  createTarget,
  previewTransform,
  getMigrationStatus,
  getTimeline,
  getShard,
  getMigration,
  getMigrationTimeline,
  getMigrationShard,
  getMigrationIndices,
  listIndices,
  cancelMigration,
  orderCutover,
  listMigrations,
  streamEvents,
  cleanupLeases,
  clearState,
  getSettings,
  putSettings,
  getSession,
  openSession,
  endSession,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
];
