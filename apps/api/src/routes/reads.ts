import { AoscError, type ListAnswer, type MigrationRecord } from '@aosc/contract';
import { gather } from '@aosc/signals';
import type { ApiDependencies } from '../dependencies';
import { sendTagged } from '../http/entity-tag';
import type { Asked, Handler, Handlers } from '../http/mount';
import { readSetAside } from '../set-aside';
import { findMigration, type MigrationName, requireName, requireVisible } from '../status/find-migration';
import { listFor, listIndicesFor, toListItem, readListRequest } from '../status/list';
import { readMigrationIndices } from '../status/read-indices';
import { readShardDetail, readTimeline, readVerification } from '../status/read-shard';
import { readStatus } from '../status/read-status';

/** Migrations whose status is read at the same moment. */
const maxStatusReads = 256;

/** A migration is read by its source (the running or the newest one of it), or by its id. */
const bySource = ({ part }: Asked): MigrationName => ({ index: part('index') });
const byId = ({ part }: Asked): MigrationName => ({ id: part('migration_id') });

/** What can be read of migrations and indices. */
export function handleReads(deps: ApiDependencies): Handlers {
  const { store, newCall, now } = deps;
  const status = createStatusHandler(deps);

  const ofFound =
    (nameOf: typeof byId, answer: (record: MigrationRecord, asked: Asked) => Promise<object>): Handler =>
    async (asked) => {
      const name = nameOf(asked);
      requireName(asked.principal, name);
      const found = await findMigration(store, name, newCall());
      return answer(requireVisible(asked.principal, name, found?.record), asked);
    };
  const timeline = (record: MigrationRecord) => readTimeline(store, record, newCall());
  const verification = (record: MigrationRecord) => readVerification(store, record, newCall());
  const setAside = (record: MigrationRecord) => readSetAside(store, record, newCall());
  const shard = (record: MigrationRecord, { part }: Asked) =>
    readShardDetail(deps, record, part('shard'), newCall());

  return {
    aosc_get_migration_status: status(bySource),
    aosc_get_migration: status(byId),
    aosc_get_timeline: ofFound(bySource, timeline),
    aosc_get_migration_timeline: ofFound(byId, timeline),
    aosc_get_verification: ofFound(bySource, verification),
    aosc_get_migration_verification: ofFound(byId, verification),
    aosc_get_set_aside: ofFound(bySource, setAside),
    aosc_get_shard: ofFound(bySource, shard),
    aosc_get_migration_shard: ofFound(byId, shard),
    aosc_get_migration_indices: ofFound(byId, (record, { principal }) =>
      readMigrationIndices(deps, record, principal, newCall()),
    ),
    async aosc_list_indices({ query, principal }) {
      return listIndicesFor(principal, await deps.listIndices(newCall()), query.text('contains') ?? '');
    },
    async aosc_list_migrations({ query, principal }) {
      const wanted = readListRequest({ status: query.text('status'), size: query.text('size') });
      const listing = await listFor(principal, wanted, store, newCall());
      return {
        migrations: listing.migrations.map((migration) =>
          toListItem(migration, listing.shardPhases.get(migration.key) ?? {}, now()),
        ),
        truncated: listing.truncated,
        active_count: listing.activeCount,
      } satisfies ListAnswer;
    },
  };
}

/**
 * Sends a status. Requests for the same status at the same moment share a read, and none gets what a read found that had
 * begun before it: the caller that has just started a migration must see it.
 */
function createStatusHandler(deps: ApiDependencies): (nameOf: typeof byId) => Handler {
  const read = async (name: MigrationName, signal: AbortSignal) => {
    const own = deps.newCall();
    const call = { ...own, signal: AbortSignal.any([own.signal, signal]) };
    const migration = await findMigration(deps.store, name, call);
    if (migration === undefined) return undefined;
    const formFor = await readStatus(deps, migration, call);
    return { sourceIndex: migration.record.sourceIndex, formFor };
  };
  const share = gather<MigrationName, Awaited<ReturnType<typeof read>>>(
    { maxUnderWay: 1, keyOf, maxKeys: { most: maxStatusReads, refusal: tooManyReads } },
    (asked, signal) => {
      const answer = read(asked[0], signal);
      return asked.map(() => answer);
    },
  );
  return (nameOf) => async (asked) => {
    const { request, response, principal } = asked;
    const name = nameOf(asked);
    requireName(principal, name);
    const gone = asked.gone();
    const found = await share(name, { signal: gone }).catch((error: unknown) => {
      // The client has left, so no caller needs the failure.
      if (!gone.aborted) throw error;
      return undefined;
    });
    if (gone.aborted) return undefined;
    const { formFor } = requireVisible(principal, name, found);
    sendTagged(request, response, formFor(principal));
    return undefined;
  };
}

const keyOf = (name: MigrationName): string => ('index' in name ? `index ${name.index}` : `id ${name.id}`);

const tooManyReads = (): AoscError =>
  new AoscError('unavailable', `${maxStatusReads} reads run at once already; try again`);
