import { AoscError } from '@aosc/contract';
import { Router } from 'express';
import { requireIndex } from '../auth/principal';
import { noteForAudit, principalOf } from '../auth/request-notes';
import { cancelMigration } from '../cancel-migration';
import type { ApiDependencies } from '../dependencies';
import { bodyOf } from '../http/body';
import { readQuery } from '../http/query';
import { startMigration } from '../start/start-migration';
import { toListItem } from '../status/list-item';
import { listFor } from '../status/list-for';
import { readListRequest } from '../status/list-request';
import { toStatusDocument } from '../status/status-document';

/** `/_plugins/_aosc`: start, status and cancel of one source's migration, and the list of all. */
export function createMigrationRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });

  router.post('/:index/_start', async (request, response) => {
    readQuery(request, []);
    const principal = principalOf(request);
    const migration = await startMigration(deps, request.params.index, bodyOf(request), (index) =>
      requireIndex(principal, index),
    );
    const { migrationId, targetIndex, alias } = migration;
    noteForAudit(request, { migration: migrationId, targetIndex, alias });
    response.json({ migration_id: migration.migrationId, accepted: true });
  });

  router.get('/:index/_status', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    const call = deps.newCall();
    const stored = await deps.store.findMigrationBySource(index, call);
    if (stored === undefined) throw new AoscError('not_found', `No migration found for index [${index}]`);
    const { key, sourceShardCount } = stored.record;
    const shards = await deps.store.readShards(key, sourceShardCount, call);
    response.json(
      toStatusDocument(
        stored.record,
        shards.map(({ record }) => record),
      ),
    );
  });

  router.post('/:index/_cancel', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    response.json({ accepted: true, phase: await cancelMigration(deps, index) });
  });

  router.get('/_list', async (request, response) => {
    const wanted = readListRequest(readQuery(request, ['status', 'size']));
    const listing = await listFor(principalOf(request), wanted, deps.store, deps.newCall());
    response.json({
      migrations: listing.migrations.map((migration) =>
        toListItem(migration, listing.shardPhases.get(migration.key) ?? {}),
      ),
      truncated: listing.truncated,
      active_count: listing.activeCount,
    });
  });

  return router;
}
