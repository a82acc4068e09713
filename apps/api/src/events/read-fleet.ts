import { listSizes, type MigrationSummary } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { summarizeEnded, summarizeRunning } from './migration-summary';

type Store = Pick<MigrationStore, 'listActive' | 'listMigrations' | 'pollShards'>;

/** Migrations whose shards are read in one look: the rest is shown without its progress. */
const maxDetailed = 64;

/** Those that run, and those that have just ended, as they are now. */
export async function readActive(store: Store, call: Call): Promise<readonly MigrationSummary[]> {
  const active = await store.listActive(call);
  const summaries: MigrationSummary[] = [];
  for (const [at, { record }] of active.entries()) {
    // One after the other: a look is no reason for many requests at once.
    const shards =
      at < maxDetailed ? await store.pollShards(record.key, record.sourceShardCount, call) : undefined;
    summaries.push(
      shards === undefined
        ? summarizeEnded(record, {})
        : summarizeRunning(
            record,
            shards.map((shard) => shard.record),
          ),
    );
  }
  return summaries;
}

/** All that the stream shows: the newest, and those that run. */
export async function readAll(
  store: Store,
  call: Call,
): Promise<{ readonly all: readonly MigrationSummary[]; readonly truncated: boolean }> {
  const listing = await store.listMigrations({ size: listSizes.max }, call);
  const active = await readActive(store, call);
  const known = new Set(active.map(({ migration_id: id }) => id));
  const ended = listing.migrations
    .filter(({ migrationId }) => !known.has(migrationId))
    // A search may be a second late: what runs by it and is not among those that run has ended since, and is shown soon.
    .filter(({ phase }) => isTerminalPhase(phase))
    .map((migration) => summarizeEnded(migration, listing.shardPhases.get(migration.key) ?? {}));
  return { all: [...active, ...ended], truncated: listing.truncated };
}
