import {
  AoscError,
  listSizes,
  type MigrationPhase,
  migrationPhases,
  shorten,
  type ListItem,
  type MigrationRecord,
  type ShardPhase,
  shardPhases,
  type IndexItem,
  type IndexList,
} from '@aosc/contract';
import { isTerminalPhase, describeEnd, isHiddenName, isOwnName } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationListing, MigrationStore } from '@aosc/store';
import { errorMessageOf, lastUpdateOf } from './status-document';
import { mayUseIndex, type Principal, mayUseAlias } from '../auth/principal';

interface ListRequest {
  /** undefined: all */
  readonly phases: readonly MigrationPhase[] | undefined;
  readonly size: number;
}

/** Reads `status` and `size` (contract details, 2.4). @throws AoscError illegal_argument */
export function readListRequest(query: {
  readonly status?: string | undefined;
  readonly size?: string | undefined;
}): ListRequest {
  return { phases: readPhases(query.status ?? 'all'), size: readSize(query.size) };
}

function readSize(text: string | undefined): number {
  if (text === undefined) return listSizes.default;
  if (!/^[+-]?\d{1,10}$/.test(text)) {
    throw new AoscError(
      'illegal_argument',
      `Failed to parse int parameter [size] with value [${shorten(text)}]`,
    );
  }
  const size = Number(text);
  if (size <= 0) throw new AoscError('illegal_argument', `size must be > 0, got: ${size}`);
  return Math.min(size, listSizes.max);
}

function readPhases(text: string): readonly MigrationPhase[] | undefined {
  if (text.trim() === '') throw new AoscError('illegal_argument', 'status must not be blank');
  const tokens = text.split(',').map((token) => token.trim());
  if (tokens.includes('')) {
    throw new AoscError('illegal_argument', `status contains an empty token: '${shorten(text)}'`);
  }
  if (tokens.length === 1 && tokens[0]?.toUpperCase() === 'ALL') return undefined;
  return [...new Set(tokens.flatMap(expand))];
}

/** ACTIVE stands for every phase that is not terminal. */
function expand(token: string): readonly MigrationPhase[] {
  const word = token.toUpperCase();
  if (word === 'ACTIVE') return migrationPhases.filter((phase) => !isTerminalPhase(phase));
  const phase = migrationPhases.find((name) => name === word);
  if (phase !== undefined) return [phase];
  throw new AoscError(
    'illegal_argument',
    `unknown status: '${shorten(token)}'. Expected one of: all, ACTIVE, [${migrationPhases.join(', ')}]`,
  );
}

/**
 * Lists what a caller may see: migrations whose source it may use, as in `_status`. For a caller that is limited to
 * some indices it searches the newest `listSizes.max`, and `truncated` says when there are more.
 */
export async function listFor(
  principal: Principal | undefined,
  wanted: ListRequest,
  store: Pick<MigrationStore, 'listActive' | 'listMigrations'>,
  call: Call,
): Promise<MigrationListing> {
  if (principal?.indexPatterns === undefined) return store.listMigrations(wanted, call);
  const listing = await store.listMigrations({ ...wanted, size: listSizes.max }, call);
  const visible = listing.migrations.filter(({ sourceIndex }) => mayUseIndex(principal, sourceIndex));
  const active = (await store.listActive(call)).filter(
    ({ record }) => !isTerminalPhase(record.phase) && mayUseIndex(principal, record.sourceIndex),
  );
  return {
    ...listing,
    migrations: visible.slice(0, wanted.size),
    truncated: listing.truncated || visible.length > wanted.size,
    activeCount: active.length,
  };
}

/**
 * @param counts how many shards are in which phase; phases come out in the order a shard goes through them
 * @param nowMillis up to which a migration that has not ended is measured
 */
export function toListItem(
  migration: MigrationRecord,
  counts: Readonly<Partial<Record<ShardPhase, number>>>,
  nowMillis: number,
): ListItem {
  const byPhase = shardPhases
    .map((phase) => [phase, counts[phase] ?? 0] as const)
    .filter(([, count]) => count > 0);
  const { startTimeMillis } = migration;
  const lastUpdate = lastUpdateOf(migration, nowMillis);
  const errorMessage = errorMessageOf(migration);
  const error = errorMessage === undefined ? {} : { error_message: errorMessage };
  return {
    migration_id: migration.migrationId,
    source_index: migration.sourceIndex,
    target_index: migration.targetIndex,
    alias: migration.alias,
    phase: migration.phase,
    start_time_millis: startTimeMillis,
    last_updated_millis: lastUpdate,
    ...error,
    shards_by_phase: Object.fromEntries(byPhase),
    ...cutoverOf(migration, lastUpdate),
    is_terminal: isTerminalPhase(migration.phase),
    shard_count: byPhase.reduce((sum, [, count]) => sum + count, 0),
    elapsed_seconds: Math.max(0, Math.floor((lastUpdate - startTimeMillis) / 1000)),
  };
}

function cutoverOf(migration: MigrationRecord, lastUpdate: number): Pick<ListItem, 'cutover'> {
  const { cutoverContext } = migration;
  if (cutoverContext === undefined) return {};
  const end = cutoverContext.cutoverEndMillis ?? lastUpdate;
  const errorMessage = describeEnd(migration);
  return {
    cutover: {
      doc_count_validation_passed: cutoverContext.docCountValidationPassed,
      alias_swap_succeeded: cutoverContext.aliasSwapSucceeded,
      duration_millis: Math.max(0, end - cutoverContext.cutoverStartMillis),
      ...(errorMessage === undefined ? {} : { error_message: errorMessage }),
    },
  };
}

/**
 * The indices and aliases that a caller may choose from.
 * @param found aliases by index
 * @param contains a part of the name of an index, or of one of its aliases
 */
export function listIndicesFor(
  principal: Principal | undefined,
  found: ReadonlyMap<string, readonly string[]>,
  contains: string,
): IndexList {
  const indices = [...found]
    .filter(([name]) => !isHiddenName(name) && mayUseIndex(principal, name))
    .map(([name, aliases]): IndexItem => {
      const shown = aliases.filter((alias) => !isOwnName(alias) && mayUseAlias(principal, alias));
      return { name, aliases: shown.toSorted() };
    })
    .filter(({ name, aliases }) => [name, ...aliases].some((text) => text.includes(contains)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { indices: indices.slice(0, listSizes.max), truncated: indices.length > listSizes.max };
}
