import type { ClearStateAnswer, MigrationPhase, MigrationRecord } from '@aosc/contract';
import { clearMigration, isClusterError } from '@aosc/engine';
import { systemClock } from '@aosc/runtime';
import { type Mandate, createMandate } from '@aosc/signals';
import { migrationKey } from '@aosc/store';
import type { ApiDependencies } from '../dependencies';
import { toAoscError } from '../http/to-aosc-error';
import { wake } from '../wake';
import { clearedStates, type Clearable, describeClearable, pendingStates, toEntry } from './clear-row';

/** Limits all migrations of one request, because the caller must get an answer. Schedulers end what is left by then. */
const limitMs = 30_000;

export interface ClearRequest {
  readonly dryRun: boolean;
  readonly tryClose: boolean;
  /** undefined: all that run, or that have left claims */
  readonly migrationId: string | undefined;
  readonly detailed: boolean;
  readonly undo: boolean;
}

type ClearRow = ClearStateAnswer['migrations'][string];

/** Shows what a clearing would end, or ends it (contract details, 2.6). */
export async function clearState(deps: ApiDependencies, request: ClearRequest): Promise<ClearStateAnswer> {
  // A process that was paused must not go on late, when the indices may belong to another migration.
  const mandate = createMandate(limitMs, systemClock);
  const rows: [string, ClearRow][] = [];
  for (const migration of await findMigrations(deps, request.migrationId)) {
    const holdsClaims = await deps.store.holdsClaims(migration, deps.newCall());
    const clearable = describeClearable(migration, holdsClaims);
    // An ended migration is history, unless the request names it.
    if (!clearable.running && !holdsClaims && request.migrationId === undefined) continue;
    const entry = request.detailed ? { entry: await readEntry(deps, migration) } : {};
    const states = request.dryRun
      ? { phase: migration.phase, ...pendingStates(clearable) }
      : await clear(deps, migration, clearable, request, mandate);
    rows.push([migration.migrationId, { source_index: migration.sourceIndex, ...states, ...entry }]);
  }
  return { dry_run: request.dryRun, try_close: request.tryClose, migrations: Object.fromEntries(rows) };
}

async function findMigrations(
  { store, newCall }: ApiDependencies,
  migrationId: string | undefined,
): Promise<readonly MigrationRecord[]> {
  if (migrationId === undefined) return (await store.listActive(newCall())).map(({ record }) => record);
  const stored = await store.readMigration(migrationKey(migrationId), newCall());
  return stored === undefined ? [] : [stored.record];
}

async function readEntry(
  { store, newCall }: ApiDependencies,
  migration: MigrationRecord,
): Promise<NonNullable<ClearRow['entry']>> {
  const shards = await store.readShards(migration.key, migration.sourceShardCount, newCall());
  return toEntry(
    migration,
    shards.map(({ record }) => record),
  );
}

/** A failure shows in the row of its migration and does not stop the others. */
async function clear(
  deps: ApiDependencies,
  migration: MigrationRecord,
  clearable: Clearable,
  { tryClose, undo }: ClearRequest,
  mandate: Mandate,
): Promise<Omit<ClearRow, 'source_index' | 'entry'>> {
  const { logger } = deps;
  const { key, migrationId } = migration;
  try {
    const context = deps.clearContext(migrationId, mandate);
    const ended = await clearMigration(context, key, { tryClose, undo });
    logger.info('a migration was cleared by an administrator', {
      event: 'state_cleared',
      migration: migrationId,
      phase: ended?.phase ?? 'none',
    });
    return { phase: ended?.phase ?? migration.phase, ...clearedStates(clearable, tryClose) };
  } catch (error) {
    logger.warn('a migration could not be cleared', {
      event: 'state_not_cleared',
      migration: migrationId,
      error,
    });
    await wake(deps, migration);
    const reason = mandate.signal.aborted
      ? `it was not at its end within ${limitMs} ms`
      : isClusterError(error)
        ? error.message
        : toAoscError(error).message;
    return {
      phase: await readPhase(deps, migration),
      ...pendingStates(clearable),
      error: `${reason}; the schedulers go on with what was begun, and it can be cleared again`,
    };
  }
}

async function readPhase(
  { store, newCall }: ApiDependencies,
  migration: MigrationRecord,
): Promise<MigrationPhase> {
  const now = await store.readMigration(migration.key, newCall()).catch(() => undefined);
  return now?.record.phase ?? migration.phase;
}
