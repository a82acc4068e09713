import {
  type MigrationRecord,
  type MigrationSummary,
  MigrationSummarySchema,
  type ShardPhase,
  type ShardRecord,
  toWire,
} from '@aosc/contract';
import { shownWaiting, summarizeProgress } from '@aosc/domain';
import { toListItem } from '../status/list-item';

const { progress: progressSchema, waiting_for: waitingSchema } = MigrationSummarySchema.properties;

/** One migration as the stream of events shows it, while it runs. */
export function summarizeRunning(
  migration: MigrationRecord,
  shards: readonly ShardRecord[],
): MigrationSummary {
  const counts: Partial<Record<ShardPhase, number>> = {};
  for (const { phase } of shards) counts[phase] = (counts[phase] ?? 0) + 1;
  const progress = summarizeProgress(migration, shards);
  const gap = gapOf(shards);
  return {
    ...summarizeEnded(migration, counts),
    ...(progress !== undefined && { progress: toWire(progressSchema, progress) }),
    ...(gap !== undefined && { gap }),
  };
}

/** The same without a look at its shards. */
export function summarizeEnded(
  migration: MigrationRecord,
  counts: Readonly<Partial<Record<ShardPhase, number>>>,
): MigrationSummary {
  const waiting = shownWaiting(migration);
  return {
    ...toListItem(migration, counts),
    shard_routing_mode: migration.shardRoutingMode,
    target_shard_count: migration.targetShardCount,
    ...(waiting !== undefined && { waiting_for: toWire(waitingSchema, waiting) }),
  };
}

/** Operations left to replay, from the newest figure of each shard that has one. */
function gapOf(shards: readonly ShardRecord[]): number | undefined {
  const gaps = shards
    .map(({ catchingUp, convergence, replay }) => (catchingUp ?? convergence ?? replay)?.currentGap)
    .filter((gap) => gap !== undefined);
  return gaps.length === 0 ? undefined : gaps.reduce((sum, gap) => sum + gap, 0);
}
