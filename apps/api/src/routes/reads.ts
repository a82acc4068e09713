import type { MigrationRecord } from '@aosc/contract';
import { type Request, type Response, Router } from 'express';
import { mayTransform } from '../auth/principal';
import { principalOf } from '../auth/request-notes';
import type { ApiDependencies } from '../dependencies';
import { sendTagged } from '../http/entity-tag';
import { signalWhenGone } from '../http/gone';
import { readQuery } from '../http/query';
import { findMigration, type MigrationName, requireName, requireVisible } from '../status/find-migration';
import { listIndicesFor } from '../status/list-indices';
import { readMigrationIndices } from '../status/read-indices';
import { readShardDetail } from '../status/read-shard';
import { readStatus } from '../status/read-status';
import { readTimeline } from '../status/read-timeline';
import { createSharedReads } from '../status/shared-reads';
import { refuseLongNames } from './long-names';

/** Migrations whose status is read at the same moment. */
const maxStatusReads = 256;

/** What can be read of a migration by its source (the running or the newest one), and the same by its id. */
export function createReadRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });
  const sendStatus = createStatusSender(deps);
  refuseLongNames(router);

  const find = async (request: Request, name: MigrationName): Promise<MigrationRecord> => {
    readQuery(request, []);
    const principal = principalOf(request);
    requireName(principal, name);
    const found = await findMigration(deps.store, name, deps.newCall());
    return requireVisible(principal, name, found?.record);
  };

  router.get('/:index/_status', (request, response) => sendStatus(request, response, request.params));
  router.get('/:index/_timeline', async (request, response) => {
    const migration = await find(request, request.params);
    response.json(await readTimeline(deps.store, migration, deps.newCall()));
  });
  router.get('/:index/_shards/:shard', async (request, response) => {
    const migration = await find(request, request.params);
    response.json(await readShardDetail(deps, migration, request.params.shard, deps.newCall()));
  });
  router.get('/_migrations/:migration_id', (request, response) =>
    sendStatus(request, response, byId(request)),
  );
  router.get('/_migrations/:migration_id/_timeline', async (request, response) => {
    const migration = await find(request, byId(request));
    response.json(await readTimeline(deps.store, migration, deps.newCall()));
  });
  router.get('/_migrations/:migration_id/_shards/:shard', async (request, response) => {
    const migration = await find(request, byId(request));
    response.json(await readShardDetail(deps, migration, request.params.shard, deps.newCall()));
  });
  router.get('/_migrations/:migration_id/_indices', async (request, response) => {
    const migration = await find(request, byId(request));
    response.json(await readMigrationIndices(deps, migration, principalOf(request), deps.newCall()));
  });
  router.get('/_indices', async (request, response) => {
    const { contains = '' } = readQuery(request, ['contains']);
    const found = await deps.listIndices(deps.newCall());
    response.json(listIndicesFor(principalOf(request), found, contains));
  });
  return router;
}

/** Sends a status. Requests for the same status at the same moment share a read. */
function createStatusSender(deps: ApiDependencies) {
  const reads = createSharedReads({
    maxKeys: maxStatusReads,
    read: async (key: string, signal) => {
      const own = deps.newCall();
      const call = { ...own, signal: AbortSignal.any([own.signal, signal]) };
      const migration = await findMigration(deps.store, nameOf(key), call);
      if (migration === undefined) return undefined;
      const forms = await readStatus(deps, migration, call);
      return { sourceIndex: migration.record.sourceIndex, forms };
    },
  });
  return async (request: Request, response: Response, name: MigrationName): Promise<void> => {
    readQuery(request, []);
    const principal = principalOf(request);
    requireName(principal, name);
    const gone = signalWhenGone(response);
    const found = await reads.read(keyOf(name), gone).catch((error: unknown) => {
      // The client has left, so no caller needs the failure.
      if (!gone.aborted) throw error;
      return undefined;
    });
    if (gone.aborted) return;
    const { forms } = requireVisible(principal, name, found);
    sendTagged(request, response, mayTransform(principal) ? forms.whole : forms.withoutScript);
  };
}

const byId = ({ params }: Request<{ migration_id: string }>): MigrationName => ({ id: params.migration_id });

const keyOf = (name: MigrationName): string => ('index' in name ? `index ${name.index}` : `id ${name.id}`);

function nameOf(key: string): MigrationName {
  const [kind, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
  return kind === 'index' ? { index: name } : { id: name };
}
