import {
  type MigrationRecord,
  type MigrationSummary,
  MigrationSummarySchema,
  type ShardPhase,
  type ShardRecord,
  toWire,
  listSizes,
} from '@aosc/contract';
import { gapOfShards, isTerminalPhase, shownWaiting, summarizeProgress } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';
import { toListItem } from '../status/list';

const { progress: progressSchema, waiting_for: waitingSchema } = MigrationSummarySchema.properties;

/** One migration as the stream of events shows it, while it runs. */
function summarizeRunning(migration: MigrationRecord, shards: readonly ShardRecord[]): MigrationSummary {
  const counts: Partial<Record<ShardPhase, number>> = {};
  for (const { phase } of shards) counts[phase] = (counts[phase] ?? 0) + 1;
  const progress = summarizeProgress(migration, shards);
  const gap = gapOfShards(shards);
  return {
    ...summarizeEnded(migration, counts),
    ...(progress !== undefined && { progress: toWire(progressSchema, progress) }),
    ...(gap !== undefined && { gap }),
  };
}

/** The same without a look at its shards. */
function summarizeEnded(
  migration: MigrationRecord,
  counts: Readonly<Partial<Record<ShardPhase, number>>>,
): MigrationSummary {
  const waiting = shownWaiting(migration);
  return {
    // Up to its last change: the stream sends what has changed, and not that time passes.
    ...toListItem(migration, counts, migration.lastUpdatedMillis),
    shard_routing_mode: migration.shardRoutingMode,
    target_shard_count: migration.targetShardCount,
    ...(waiting !== undefined && { waiting_for: toWire(waitingSchema, waiting) }),
  };
}

export type FleetReads = Pick<MigrationStore, 'listActive' | 'listMigrations' | 'pollShards' | 'readShards'>;

/** Migrations whose shards one look reads; the others are shown without their progress. */
const maxDetailed = 64;

interface FleetReader {
  /** Those that run, and those that have just ended, as they are now. */
  readActive(call: Call): Promise<readonly MigrationSummary[]>;
  /** All that the stream shows: the newest, and those that run. */
  readAll(call: Call): Promise<{ readonly all: readonly MigrationSummary[]; readonly truncated: boolean }>;
}

/**
 * Reads migrations for the clients that follow them. The figures of an ended migration stand still, so its shards are
 * read once. A process that started later shows the same figures as the process that saw the migration run.
 */
export function createFleetReader(store: FleetReads): FleetReader {
  /** by key; holds no more migrations than a look has */
  let ended = new Map<string, MigrationSummary['progress']>();

  async function readActive(call: Call): Promise<readonly MigrationSummary[]> {
    const active = await store.listActive(call);
    const summaries: MigrationSummary[] = [];
    for (const [at, { record }] of active.entries()) {
      // One after the other: a look does not justify many requests at once.
      const shards =
        at < maxDetailed ? await store.pollShards(record.key, record.sourceShardCount, call) : undefined;
      const records = shards?.map((shard) => shard.record);
      summaries.push(records === undefined ? summarizeEnded(record, {}) : summarizeRunning(record, records));
    }
    return summaries;
  }

  /** @returns undefined when this look has read enough: a later look reads this one */
  async function readProgress(
    { key, ...record }: MigrationRecord,
    budget: { left: number },
    call: Call,
  ): Promise<MigrationSummary['progress']> {
    if (ended.has(key)) return ended.get(key);
    if (budget.left === 0) return undefined;
    budget.left -= 1;
    const shards = await store.readShards(key, record.sourceShardCount, call);
    const { progress } = summarizeRunning(
      { key, ...record },
      shards.map((shard) => shard.record),
    );
    ended.set(key, progress);
    return progress;
  }

  return {
    readActive,
    async readAll(call) {
      const listing = await store.listMigrations({ size: listSizes.max }, call);
      const active = await readActive(call);
      const known = new Set(active.map(({ migration_id: id }) => id));
      const budget = { left: maxDetailed };
      const all: MigrationSummary[] = [...active];
      // A search may be a second late. A migration that it still calls running, and that is missing among those that
      // run, has ended since and is shown soon.
      const over = listing.migrations.filter(
        ({ migrationId, phase }) => !known.has(migrationId) && isTerminalPhase(phase),
      );
      for (const migration of over) {
        const progress = await readProgress(migration, budget, call);
        const summary = summarizeEnded(migration, listing.shardPhases.get(migration.key) ?? {});
        all.push(progress === undefined ? summary : { ...summary, progress });
      }
      ended = new Map(over.flatMap(({ key }) => (ended.has(key) ? [[key, ended.get(key)] as const] : [])));
      return { all, truncated: listing.truncated };
    },
  };
}
