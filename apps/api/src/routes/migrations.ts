import type { CancelAnswer, ListAnswer, StartAnswer } from '@aosc/contract';
import { Router } from 'express';
import { requireIndex } from '../auth/principal';
import { noteForAudit, principalOf } from '../auth/request-notes';
import { notesOfStart, notesOfTarget } from '../auth/start-notes';
import { cancelMigration } from '../cancel-migration';
import type { ApiDependencies } from '../dependencies';
import { bodyOf } from '../http/body';
import { signalWhenGone } from '../http/gone';
import { readFlag, readQuery } from '../http/query';
import { callerOf, whoOf } from '../start/caller';
import { previewTransform } from '../start/preview-transform';
import { checkStart } from '../start/check-start';
import { startMigration } from '../start/start-migration';
import { toListItem } from '../status/list-item';
import { listFor } from '../status/list-for';
import { readListRequest } from '../status/list-request';
import { refuseLongNames } from './long-names';
import { createReadRoutes } from './reads';
import { createTarget } from '../target/create-target';

/** `/_plugins/_aosc`: start and cancel of one source's migration, what is read of one, and the list of all. */
export function createMigrationRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  refuseLongNames(router);

  router.post('/:index/_start', async (request, response) => {
    const { dry_run: flag } = readQuery(request, ['dry_run']);
    const dryRun = readFlag('dry_run', flag);
    const gone = signalWhenGone(response);
    const caller = callerOf(principalOf(request));
    noteForAudit(request, { ...notesOfStart(bodyOf(request)), ...(dryRun && { dryRun }) });
    if (dryRun) {
      response.json(await checkStart(deps, request.params.index, bodyOf(request), caller, gone));
      return;
    }
    const migration = await deps.traces.start(request.headers.traceparent, () =>
      startMigration(deps, request.params.index, bodyOf(request), caller, gone),
    );
    noteForAudit(request, { migration: migration.migrationId });
    const { migrationId, aliasesLeftBehind } = migration;
    response.json({
      migration_id: migrationId,
      accepted: true,
      ...(aliasesLeftBehind && { aliases_left_behind: aliasesLeftBehind }),
    } satisfies StartAnswer);
  });

  router.post('/:index/_create_target', async (request, response) => {
    const query = readQuery(request, ['dry_run']);
    const dryRun = readFlag('dry_run', query.dry_run);
    const gone = signalWhenGone(response);
    noteForAudit(request, notesOfTarget(bodyOf(request), dryRun));
    const caller = callerOf(principalOf(request));
    response.json(await createTarget(deps, request.params.index, bodyOf(request), { caller, dryRun, gone }));
  });

  router.post('/:index/_preview_transform', async (request, response) => {
    readQuery(request, []);
    const gone = signalWhenGone(response);
    noteForAudit(request, notesOfStart(bodyOf(request)));
    const caller = callerOf(principalOf(request));
    response.json(await previewTransform(deps, request.params.index, bodyOf(request), caller, gone));
  });

  router.post('/:index/_cancel', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    const phase = await cancelMigration(deps, index, whoOf(principalOf(request)));
    response.json({ accepted: true, phase } satisfies CancelAnswer);
  });

  router.use(createReadRoutes(deps));

  router.get('/_list', async (request, response) => {
    const wanted = readListRequest(readQuery(request, ['status', 'size']));
    const listing = await listFor(principalOf(request), wanted, deps.store, deps.newCall());
    response.json({
      migrations: listing.migrations.map((migration) =>
        toListItem(migration, listing.shardPhases.get(migration.key) ?? {}),
      ),
      truncated: listing.truncated,
      active_count: listing.activeCount,
    } satisfies ListAnswer);
  });

  return router;
}
