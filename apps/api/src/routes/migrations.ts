import type { CancelAnswer, CutoverAnswer, ListAnswer, StartAnswer } from '@aosc/contract';
import { type Request, Router } from 'express';
import { audited } from '../auth/audited-route';
import { requireIndex } from '../auth/principal';
import { principalOf } from '../auth/request-notes';
import { notesOfStart, notesOfTarget } from '../auth/start-notes';
import { cancelMigration } from '../cancel-migration';
import type { ApiDependencies } from '../dependencies';
import { bodyOf } from '../http/body';
import { signalWhenGone } from '../http/gone';
import { readFlag, readQuery } from '../http/query';
import { orderCutover, readCutoverRequest } from '../order-cutover';
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

/** `/_plugins/_aosc`: start and cancel of one source's migration, reads of one, and the list of all. */
// eslint-disable-next-line max-lines-per-function -- one list of routes, each of a few lines
export function createMigrationRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  refuseLongNames(router);

  router.post(
    '/:index/_start',
    audited('start', {
      read: (request) => {
        const { dry_run: flag } = readQuery(request, ['dry_run']);
        return { body: bodyOf(request), dryRun: readFlag('dry_run', flag) };
      },
      asked: ({ body, dryRun }) => ({ dryRun, ...notesOfStart(body) }),
      run: async ({ body, dryRun }, request, response) => {
        const gone = signalWhenGone(response);
        const caller = callerOf(principalOf(request));
        const index = indexOf(request);
        if (dryRun) {
          return { answer: await checkStart(deps, index, body, caller, gone), done: { migration: null } };
        }
        const { migrationId, aliasesLeftBehind } = await deps.traces.start(request.headers.traceparent, () =>
          startMigration(deps, index, body, caller, gone),
        );
        const answer: StartAnswer = {
          migration_id: migrationId,
          accepted: true,
          ...(aliasesLeftBehind && { aliases_left_behind: aliasesLeftBehind }),
        };
        return { answer, done: { migration: migrationId } };
      },
    }),
  );

  router.post(
    '/:index/_create_target',
    audited('create_target', {
      read: (request) => {
        const query = readQuery(request, ['dry_run']);
        return { body: bodyOf(request), dryRun: readFlag('dry_run', query.dry_run) };
      },
      asked: ({ body, dryRun }) => notesOfTarget(body, dryRun),
      run: async ({ body, dryRun }, request, response) => {
        const gone = signalWhenGone(response);
        const caller = callerOf(principalOf(request));
        const answer = await createTarget(deps, indexOf(request), body, { caller, dryRun, gone });
        return { answer, done: { created: answer.created } };
      },
    }),
  );

  router.post(
    '/:index/_preview_transform',
    audited('preview_transform', {
      read: readBody,
      asked: notesOfStart,
      run: async (body, request, response) => {
        const gone = signalWhenGone(response);
        const caller = callerOf(principalOf(request));
        const answer = await previewTransform(deps, indexOf(request), body, caller, gone);
        return { answer, done: { documents: answer.documents.length } };
      },
    }),
  );

  router.post(
    '/:index/_cancel',
    audited('cancel', {
      read: (request) => {
        readQuery(request, []);
        return indexOf(request);
      },
      asked: () => ({}),
      run: async (index, request) => {
        const principal = principalOf(request);
        requireIndex(principal, index);
        const { phase, migrationId } = await cancelMigration(deps, index, whoOf(principal));
        const answer: CancelAnswer = { accepted: true, phase };
        return { answer, done: { migration: migrationId, phase } };
      },
    }),
  );

  router.post(
    '/:index/_cutover',
    audited('cutover', {
      read: (request) => ({ index: indexOf(request), order: readCutoverRequest(readBody(request)) }),
      asked: ({ order }) => ({ order }),
      run: async ({ index, order }, request) => {
        const principal = principalOf(request);
        requireIndex(principal, index);
        const { migrationId, phase, cutover } = await orderCutover(deps, index, order, whoOf(principal));
        const answer: CutoverAnswer = { accepted: true, phase, cutover };
        return { answer, done: { migration: migrationId, phase } };
      },
    }),
  );

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

function readBody(request: Request): unknown {
  readQuery(request, []);
  return bodyOf(request);
}

/** The index that the path names. */
const indexOf = ({ params }: Request): string => String(params['index']);
