import { type IndexNow, type MigrationIndices, type MigrationRecord } from '@aosc/contract';
import { isOwnName } from '@aosc/domain';
import { type Call, type ClusterPorts, isClusterError, instead } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { mayUseIndex, type Principal } from '../auth/principal';

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
  const { alias, sourceIndex, sourceUuid, targetIndex, targetUuid, migrationId } = migration;
  const atMillis = now();
  const [holders, source, target] = await Promise.all([
    cluster.aliases.indicesOf(alias, call),
    readIndexNow(cluster, sourceIndex, sourceUuid, call),
    readIndexNow(cluster, targetIndex, targetUuid, call),
  ]);
  const blocker = async (index: IndexNow, uuid: string): Promise<IndexNow> => {
    if (!index.is_write_blocked || index.state !== 'same') return index;
    const found = await store.listMigrations({ sourceIndex: index.name, size: maxEarlier }, call);
    const by = findBlocker(migration, found.migrations, uuid);
    return by === undefined ? index : { ...index, blocked_by: by };
  };
  return {
    migration_id: migrationId,
    at_millis: atMillis,
    // The answer does not name an index that the caller may not use, and does not call the alias missing for that.
    alias: {
      name: alias,
      indices: holders.map((name) => (mayUseIndex(principal, name) ? name : '(another index)')),
    },
    source: await blocker(source, sourceUuid),
    target: await blocker(target, targetUuid),
  };
}

async function readIndexNow(
  cluster: IndexSources['cluster'],
  name: string,
  uuid: string,
  call: Call,
): Promise<IndexNow> {
  const { state } = cluster.index(name);
  const described = await state.describe(call);
  if (described === undefined) return { name, state: 'missing', aliases: [], is_write_blocked: false };
  const isSame = described.uuid === uuid;
  const documents =
    isSame && described.open
      ? await state.count(undefined, call).catch(instead(undefined, isClusterError))
      : undefined;
  return {
    name,
    state: isSame ? 'same' : 'replaced',
    aliases: [...described.aliases.keys()].filter((alias) => !isOwnName(alias)),
    is_write_blocked: described.settings['index.blocks.write'] === 'true',
    ...(documents !== undefined && { document_count: documents }),
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
