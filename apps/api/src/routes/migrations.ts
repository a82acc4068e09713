import { AoscError, type CancelAnswer, type ListAnswer, shorten, type StartAnswer } from '@aosc/contract';
import { Router } from 'express';
import { requireIndex } from '../auth/principal';
import { noteForAudit, principalOf } from '../auth/request-notes';
import { notesOfStart, notesOfTarget } from '../auth/start-notes';
import { cancelMigration } from '../cancel-migration';
import type { ApiDependencies } from '../dependencies';
import { bodyOf } from '../http/body';
import { sendTagged } from '../http/entity-tag';
import { signalWhenGone } from '../http/gone';
import { readFlag, readQuery } from '../http/query';
import { callerOf } from '../start/caller';
import { previewTransform } from '../start/preview-transform';
import { startMigration } from '../start/start-migration';
import { toListItem } from '../status/list-item';
import { listFor } from '../status/list-for';
import { readListRequest } from '../status/list-request';
import { readShardDetail } from '../status/read-shard';
import { readStatus } from '../status/read-status';
import { readTimeline } from '../status/read-timeline';
import { createSharedReads } from '../status/shared-reads';
import { createTarget } from '../target/create-target';

/** Sources whose status is read at the same moment. */
const maxStatusReads = 256;

/** `/_plugins/_aosc`: start, status and cancel of one source's migration, and the list of all. */
// eslint-disable-next-line max-lines-per-function -- one list of routes, each of a few lines
export function createMigrationRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  const statusReads = createSharedReads({
    maxKeys: maxStatusReads,
    read: (index: string, signal) => {
      const call = deps.newCall();
      return readStatus(deps.store, index, { ...call, signal: AbortSignal.any([call.signal, signal]) });
    },
  });

  router.param('index', (_request, _response, next, index: string) => {
    refuseLongName(index);
    next();
  });

  router.post('/:index/_start', async (request, response) => {
    readQuery(request, []);
    const gone = signalWhenGone(response);
    const caller = callerOf(principalOf(request));
    noteForAudit(request, notesOfStart(bodyOf(request)));
    const migration = await deps.traces.start(request.headers.traceparent, () =>
      startMigration(deps, request.params.index, bodyOf(request), caller, gone),
    );
    noteForAudit(request, { migration: migration.migrationId });
    response.json({ migration_id: migration.migrationId, accepted: true } satisfies StartAnswer);
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

  router.get('/:index/_status', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    const gone = signalWhenGone(response);
    const status = await statusReads.read(index, gone).catch((error: unknown) => {
      // Nobody waits for the answer: a failure is not one.
      if (!gone.aborted) throw error;
      return undefined;
    });
    if (gone.aborted) return;
    if (status === undefined) throw new AoscError('not_found', `No migration found for index [${index}]`);
    sendTagged(request, response, status);
  });

  router.get('/:index/_timeline', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    response.json(await readTimeline(deps.store, index, deps.newCall()));
  });

  router.get('/:index/_shards/:shard', async (request, response) => {
    readQuery(request, []);
    const { index, shard } = request.params;
    requireIndex(principalOf(request), index);
    response.json(await readShardDetail(deps, index, shard, deps.newCall()));
  });

  router.post('/:index/_cancel', async (request, response) => {
    readQuery(request, []);
    const { index } = request.params;
    requireIndex(principalOf(request), index);
    const phase = await cancelMigration(deps, index);
    response.json({ accepted: true, phase } satisfies CancelAnswer);
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
    } satisfies ListAnswer);
  });

  return router;
}

/** No index has a longer name (`MetadataCreateIndexService` of OpenSearch), and nothing is to be done with one. */
const maxNameBytes = 255;

/** @throws AoscError illegal_argument, with a part of the name */
function refuseLongName(index: string): void {
  const bytes = Buffer.byteLength(index);
  if (bytes <= maxNameBytes) return;
  throw new AoscError(
    'illegal_argument',
    `index name is too long, (${bytes} > ${maxNameBytes}): [${shorten(index, 64)}]`,
  );
}
