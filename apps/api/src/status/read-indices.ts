import { type IndexNow, type MigrationIndices, type MigrationRecord } from '@aosc/contract';
import { isFilledByOther, isOwnName } from '@aosc/domain';
import { type Call, type ClusterPorts, type IndexDescription, isClusterError, instead } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { type Principal, shownAliases } from '../auth/principal';
import { type Caller, callerOf } from '../start/caller';

interface IndexSources {
  readonly cluster: Pick<ClusterPorts, 'index' | 'aliases'>;
  readonly store: Pick<MigrationStore, 'listMigrations'>;
  readonly now: () => number;
}

/** Hardly any index has more migrations that have left it blocked. */
const maxEarlier = 20;

/** Asks the cluster where the alias of a migration is, and what has become of its indices. */
export async function readMigrationIndices(
  { cluster, store, now }: IndexSources,
  migration: MigrationRecord,
  principal: Principal | undefined,
  call: Call,
): Promise<MigrationIndices> {
  const { alias, sourceIndex, sourceUuid, targetIndex, targetUuid, migrationId, key } = migration;
  const caller = callerOf(principal);
  const atMillis = now();
  const [holders, source, target] = await Promise.all([
    cluster.aliases.indicesOf(alias, call),
    readIndexNow(cluster, sourceIndex, { uuid: sourceUuid, key, caller }, call),
    readIndexNow(cluster, targetIndex, { uuid: targetUuid, key, caller }, call),
  ]);
  const blocker = async (index: IndexNow, uuid: string): Promise<IndexNow> => {
    if (!index.is_write_blocked || index.state !== 'same') return index;
    const found = await store.listMigrations({ sourceIndex: index.name, size: maxEarlier }, call);
    const by = findBlocker(migration, found.migrations, uuid);
    if (by === undefined) return index;
    return {
      ...index,
      blocked_by: by === migrationId || caller.mayUseIndex(index.name) ? by : '(another migration)',
    };
  };
  return {
    migration_id: migrationId,
    at_millis: atMillis,
    // The answer names no index beyond the patterns but the target, and does not call the alias missing for that.
    alias: {
      name: alias,
      indices: holders.map((name) =>
        name === targetIndex || caller.mayUseIndex(name) ? name : '(another index)',
      ),
    },
    source: await blocker(source, sourceUuid),
    target: await blocker(target, targetUuid),
  };
}

async function readIndexNow(
  cluster: IndexSources['cluster'],
  name: string,
  own: Own,
  call: Call,
): Promise<IndexNow> {
  const { state } = cluster.index(name);
  const described = await state.describe(call);
  if (described === undefined) return { name, state: 'missing', aliases: [], is_write_blocked: false };
  const documents =
    described.uuid === own.uuid && described.open && own.caller.mayUseIndex(name)
      ? await state.count(undefined, call).catch(instead(undefined, isClusterError))
      : undefined;
  return { ...showIndex(own, described), ...(documents !== undefined && { document_count: documents }) };
}

/** The migration's key, the index that it had, and who asks. */
interface Own {
  readonly key: string;
  readonly uuid: string;
  readonly caller: Pick<Caller, 'mayUseAlias' | 'mayUseIndex'>;
}

/** What the cluster says of an index that has the name of a migration's index. */
export function showIndex(
  { key, uuid, caller }: Own,
  {
    index,
    aliases,
    settings,
    uuid: found,
  }: Pick<IndexDescription, 'index' | 'uuid' | 'aliases' | 'settings'>,
): IndexNow {
  const names = [...aliases.keys()];
  return {
    name: index,
    state: found === uuid ? 'same' : 'replaced',
    aliases: shownAliases(
      caller,
      names.filter((alias) => !isOwnName(alias)),
    ),
    is_write_blocked: settings['index.blocks.write'] === 'true',
    ...(names.some((name) => isFilledByOther(name, key)) && { in_use: true }),
  };
}

type Blocking = Pick<MigrationRecord, 'migrationId' | 'sourceUuid' | 'startTimeMillis' | 'writeBlock'>;

/**
 * The newest migration that has blocked this very index and has not lifted its block.
 * @param own has just been read by its id
 * @param found by a search, which may show a record as it was a second ago, `own` included
 * @param uuid of the index
 * @returns the id of the migration
 */
export function findBlocker(own: Blocking, found: readonly Blocking[], uuid: string): string | undefined {
  const others = found.filter(({ migrationId }) => migrationId !== own.migrationId);
  const newestFirst = [own, ...others].toSorted((a, b) => b.startTimeMillis - a.startTimeMillis);
  return newestFirst.find(
    ({ sourceUuid, writeBlock }) =>
      sourceUuid === uuid && writeBlock !== undefined && !writeBlock.usersOwn && !writeBlock.lifted,
  )?.migrationId;
}
